// only a comment, and a within
within Library;
