model Tearing "A long ladder of resistors: chains of assignments are cut"
  Real u1, u2, u3, u4, u5, u6, u7, u8, u9, u10, u11, u12, u13, u14, u15, u16, u17, u18;
equation
  2 * u1 - u2 = time;
  2 * u2 - u1 - u3 = 0;
  2 * u3 - u2 - u4 = 0;
  2 * u4 - u3 - u5 = 0;
  2 * u5 - u4 - u6 = 0;
  2 * u6 - u5 - u7 = 0;
  2 * u7 - u6 - u8 = 0;
  2 * u8 - u7 - u9 = 0;
  2 * u9 - u8 - u10 = 0;
  2 * u10 - u9 - u11 = 0;
  2 * u11 - u10 - u12 = 0;
  2 * u12 - u11 - u13 = 0;
  2 * u13 - u12 - u14 = 0;
  2 * u14 - u13 - u15 = 0;
  2 * u15 - u14 - u16 = 0;
  2 * u16 - u15 - u17 = 0;
  2 * u17 - u16 - u18 = 0;
  2 * u18 - u17 = 0;
end Tearing;
