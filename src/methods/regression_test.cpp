// The regression formulas: their exact coefficients and their properties.
#include "daedalus/methods/regression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "daedalus/methods/regression_properties.hpp"
#include "methods/test_support.hpp"

namespace daedalus::methods {
namespace {

using namespace testing_support;

constexpr double infinite = std::numeric_limits<double>::infinity();

const Regression& regression(std::string_view name) {
  return *std::ranges::find(regression_methods(), name, &Regression::name);
}

LinearFormula numbers_of(std::string_view name) {
  return linear_formula(formula_of(regression(name)));
}

// The fractions of a formula in the order of its data, grouped by time.
std::string coefficients(const RegressionFormula& formula) {
  std::string text = formula.new_slope.text();
  for (std::size_t i = 0; i < formula.steps(); ++i) {
    if (formula.values[i].numerator != 0) text.append(" ").append(formula.values[i].text());
    if (formula.slopes[i].numerator != 0) text.append(" ").append(formula.slopes[i].text());
  }
  return text;
}

struct Published {
  const char* name;
  const char* coefficients;
  double error_constant;
  std::array<double, 2> unstable;  // on the negative real axis; both 0: nowhere
  double angle;
  double a;
  double c;
  double critical_damping;
  double damping_at_1e6;
  double damping_at_infinity;
};

void PrintTo(const Published& wanted, std::ostream* out) { *out << wanted.name; }

// Checked independently of this code, with fractions of unlimited size.
const std::vector<Published>& published() {
  static const std::vector<Published> all = {
      {"rbdf61",
       "562716/1285531 13622168/6427655 -11323914/6427655 37856/98887 1149127/1285531 "
       "-1280328/1285531 2790382/6427655 -465616/6427655",
       -0.13497239662054047,
       {0, 0},
       28.393,
       3.7694,
       0.6272,
       0.143,
       2.1377,
       infinite},
      {"rbdf62",
       "4385978220/10030476461 21724175622/10030476461 -15482701480/10030476461 "
       "-2165614944/10030476461 10050427185/10030476461 -9149801414/10030476461 "
       "2888376548/10030476461 321370344/10030476461",
       -0.14348379266458686,
       {0, 0},
       46.138,
       2.5719,
       0.7965,
       0.208,
       0.1903,
       0.1903},
      {"rbdf63",
       "70075308581355/164853453894868 95031589157856/41213363473717 "
       "-82095703691211/41213363473717 -42872853923559/164853453894868 "
       "28277478007072/41213363473717 44417678629521/164853453894868 "
       "-12874836947373/164853453894868 986291711664/41213363473717",
       -0.11170807870254429,
       {0, 0},
       41.784,
       9.4211,
       0.7092,
       0.193,
       0.1266,
       0.1266},
      {"rbdf64",
       "4692768815/10569399763 15065557150/7317276759 -49035346150/31708199289 "
       "243008168375/285373793601 25385098025/95124597867 -15379037786/31708199289 "
       "34538351800/285373793601 7934960600/95124597867",
       -0.1612280989764954,
       {0, 0},
       50.715,
       6.9612,
       0.7183,
       0.16,
       0.0587,
       0.0587},
      {"rbdf65",
       "5864151762/13543653601 150525747274/67718268005 -101963166795/54174614404 "
       "-12337252389/67718268005 20518271809/27087307202 -88927116341/270873072020 "
       "6233031515/27087307202 8208739434/67718268005",
       -0.14431396968508453,
       {0, 0},
       47.315,
       2.129,
       0.8093,
       0.133,
       0.0836,
       0.0836},
      {"rbdf66",
       "23199608160/53698684007 119307447515/53698684007 -91938949050/53698684007 "
       "-12553742700/53698684007 13367238175/53698684007 43836833375/53698684007 "
       "-48569398143/53698684007 21254326210/53698684007 -3558814075/53698684007",
       -0.12576629172098108,
       {0, 0},
       45.035,
       2.8615,
       0.8051,
       0.24,
       0.3071,
       0.3071},
      {"rbdf67",
       "33178263255180/75703247762521 161690782247970/75703247762521 "
       "-124374406118600/75703247762521 -7848340634640/75703247762521 "
       "15091762416800/75703247762521 68179425635325/75703247762521 -66086619930754/75703247762521 "
       "21202303511780/75703247762521 2385758598840/75703247762521",
       -0.14333515849265926,
       {0, 0},
       38.934,
       2.8853,
       0.7578,
       0.164,
       0.2963,
       0.2963},
      {"rbdf68",
       "307895688961455/724101386554468 417484810242756/181025346638617 "
       "-27677224169091/13925026664509 -192309156469179/724101386554468 "
       "127286681639047/181025346638617 162464451402621/724101386554468 "
       "-82517864026473/724101386554468 -3942231045003/181025346638617 "
       "3258129481404/181025346638617",
       -0.1125159815088289,
       {0, 0},
       42.714,
       7.6111,
       0.7344,
       0.222,
       0.1539,
       0.1539},
      {"rbdf71",
       "5362296880/12766564859 605554813600/268097862039 -27589228625/12766564859 "
       "201458878400/268097862039 11850253750/12766564859 -16163837408/12766564859 "
       "20515894450/38299694577 -4536460925/89365954013 1041349607/268097862039",
       -0.17653023597448653,
       {-2.394, -0.578},
       0,
       6.046,
       0,
       0.04,
       1.8188,
       infinite},
      {"rbdf72",
       "305816015715/714393218237 21251418125/9786208469 -5275640324675/2857572872948 "
       "222215272475/714393218237 3100111181125/2857572872948 -657441623069/714393218237 "
       "234201279325/714393218237 -387708587525/2857572872948 19496796599/2857572872948",
       -0.22486050080137107,
       {-2.018, -0.66},
       0,
       5.4604,
       0,
       0.042,
       1.74,
       infinite},
      {"rbdf73",
       "5745848080/13165283913 82545547840/39495851739 -6974789605/4388427971 "
       "3720688160/39495851739 3422716150/4388427971 -38593135490/39495851739 "
       "11260694240/13165283913 -1158294515/4388427971 433980239/39495851739",
       -0.28507178992881926,
       {-1.96, -0.62},
       0,
       5.1964,
       0,
       0.039,
       1.6774,
       infinite},
      {"rbdf74",
       "10479248920/24522882131 161858337200/73568646393 -49932617000/24522882131 "
       "66405054800/73568646393 8133503728/24522882131 -67178010200/73568646393 "
       "17785930000/24522882131 -5382129725/24522882131 669203584/73568646393",
       -0.24327606021718148,
       {0, 0},
       2.675,
       4.5573,
       0.0539,
       0.051,
       1.6964,
       infinite},
      {"rbdf75",
       "7952336211120/18236573739091 38110466917600/18236573739091 -28641353845825/18236573739091 "
       "18156799655750/18236573739091 -5172333484192/18236573739091 -13706388517850/18236573739091 "
       "13694111595200/18236573739091 -4392940769875/18236573739091 188212188283/18236573739091",
       -0.278048376948177,
       {-2.05, -0.592},
       0,
       5.3073,
       0,
       0.039,
       1.6862,
       infinite},
      {"rbdf76",
       "17558438220/41435133071 92014621875/41435133071 -588835767375/290045931497 "
       "168897231000/290045931497 40509558675/41435133071 -48009626802/41435133071 "
       "17725617000/41435133071 -8347210975/290045931497 2650483611/290045931497",
       -0.2051761141945738,
       {-1.596, -0.942},
       0,
       5.4101,
       0,
       0.049,
       1.7156,
       infinite},
      {"rbdf77",
       "3637123475580/8421037480819 17981027174250/8421037480819 -14566673323125/8421037480819 "
       "1545767149500/8421037480819 9165560797575/8421037480819 -6988737095928/8421037480819 "
       "1628912416500/8421037480819 -479393252450/8421037480819 134573614497/8421037480819",
       -0.2607652346595343,
       {0, 0},
       0.847,
       4.8914,
       0.0174,
       0.049,
       1.6637,
       infinite},
      {"rbdf78",
       "55667431260/125810728531 255653552070/125810728531 -175936462695/125810728531 "
       "-17690544900/125810728531 109801386135/125810728531 -103609695420/125810728531 "
       "67158030420/125810728531 -12960225110/125810728531 3394688031/125810728531",
       -0.3423981787203915,
       {-1.482, -0.838},
       0,
       4.7836,
       0,
       0.043,
       1.6063,
       infinite},
      {"rbdf79",
       "200857037220/456243471821 938327243175/456243471821 -679810277475/456243471821 "
       "357466232025/456243471821 -10739550402/456243471821 -342550189800/456243471821 "
       "226141518600/456243471821 -44208724525/456243471821 11617220223/456243471821",
       -0.32877954037082974,
       {0, 0},
       0.198,
       4.6805,
       0.0039,
       0.046,
       1.6121,
       infinite},
      {"rbdf710",
       "10242273195/22689344087 89170992225/45378688174 -112801522995/90757376348 "
       "-3368585115/22689344087 55657306845/90757376348 -16730135145/22689344087 "
       "81869926635/90757376348 -19331347385/45378688174 6747257223/90757376348",
       -0.469971555523486,
       {0, 0},
       4.515,
       3.9752,
       0.0822,
       0.049,
       1.4472,
       infinite},
      {"rbdf711",
       "123122464920/276154722331 562227645000/276154722331 -425927861100/276154722331 "
       "118121698800/276154722331 89686261728/276154722331 -233656772400/276154722331 "
       "266636004075/276154722331 -121786049000/276154722331 20853795228/276154722331",
       -0.4503730930261859,
       {0, 0},
       9.36,
       3.569,
       0.1665,
       0.056,
       1.4415,
       infinite},
      {"rbdf712",
       "416258779230/932366553889 3750510810375/1864733107778 -2588331666375/1864733107778 "
       "1183088130525/1864733107778 -127090587393/932366553889 -513260437500/932366553889 "
       "1334022944625/1864733107778 -649236616525/1864733107778 115381554939/1864733107778",
       -0.42211298747220455,
       {0, 0},
       6.81,
       3.8412,
       0.1244,
       0.053,
       1.4687,
       infinite},
      {"rbdf713",
       "1356442920/3124814837 6712072920/3124814837 -5946174360/3124814837 2572602480/3124814837 "
       "245495880/3124814837 -1583515440/3124814837 1841635845/3124814837 -870482200/3124814837 "
       "153179712/3124814837",
       -0.3424005919746598,
       {0, 0},
       16.022,
       3.1597,
       0.2848,
       0.07,
       1.4893,
       infinite},
      {"rbdf714",
       "542057286960/1217553074251 2458874643120/1217553074251 -1710093168945/1217553074251 "
       "762944425110/1217553074251 -391632770970/1217553074251 -229218310080/1217553074251 "
       "596750872725/1217553074251 -332635262960/1217553074251 62562646251/1217553074251",
       -0.39925138257241005,
       {0, 0},
       5.184,
       4.0406,
       0.0965,
       0.051,
       1.4985,
       infinite},
      {"rbdf715",
       "934533001080/2051143613119 3968016861900/2051143613119 -2447526538800/2051143613119 "
       "1931032803672/2051143613119 -1556716505400/2051143613119 -890989711200/2051143613119 "
       "1808475267375/2051143613119 -927315714500/2051143613119 166167150072/2051143613119",
       -0.515308732401605,
       {0, 0},
       0.567,
       4.2945,
       0.0104,
       0.042,
       1.4461,
       infinite},
  };
  return all;
}

class EveryRegression : public testing::TestWithParam<Published> {};

TEST_P(EveryRegression, HasTheExactCoefficientsOfItsData) {
  const RegressionFormula& formula = formula_of(regression(GetParam().name));
  EXPECT_EQ(coefficients(formula), GetParam().coefficients);
  EXPECT_TRUE(near(formula.error_constant.value(), GetParam().error_constant, 1e-15L));
}

TEST_P(EveryRegression, IsStableWhereItIsSaidToBe) {
  const LinearFormula formula = numbers_of(GetParam().name);
  const auto [begin, end] = GetParam().unstable;
  const std::vector<Stretch> unstable = unstable_stretches(formula);
  // The checked bounds are points of a grid of 0.002 inside the stretch.
  EXPECT_EQ(is_a0_stable(formula), begin == 0.0);
  ASSERT_EQ(unstable.size(), begin == 0.0 ? 0U : 1U);
  if (begin != 0.0) {
    EXPECT_TRUE(near(unstable[0].begin, begin, 2.1e-3L));
    EXPECT_TRUE(near(unstable[0].end, end, 2.1e-3L));
    EXPECT_GT(spectral_radius(formula, (begin + end) / 2), 1);
  }
  const StiffStability found = stiff_stability(formula);
  EXPECT_TRUE(near(found.angle, GetParam().angle, 2e-3L));
  EXPECT_TRUE(near(found.a, GetParam().a, 1e-4L));
  EXPECT_TRUE(near(found.c, GetParam().c, 2e-4L));
}

TEST_P(EveryRegression, DampsAsItIsSaidTo) {
  const LinearFormula formula = numbers_of(GetParam().name);
  EXPECT_TRUE(near(critical_damping(formula), GetParam().critical_damping, 1.1e-3L));
  EXPECT_TRUE(near(numerical_damping(formula, 1e6L), GetParam().damping_at_1e6, 1e-4L));
  if (GetParam().damping_at_infinity == infinite) {
    EXPECT_EQ(damping_at_infinity(formula), infinite);
  } else {
    EXPECT_TRUE(near(damping_at_infinity(formula), GetParam().damping_at_infinity, 1e-4L));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryRegression, testing::ValuesIn(published()));

TEST(Regressions, AreAllPublishedAndBdf) {
  EXPECT_EQ(regression_methods().size(), published().size() + 6);
}

Regression bdf(int order) {
  Regression method{.name = "bdf", .order = order};
  for (int back = 0; back < order; ++back) method.values.push_back(back);
  return method;
}

TEST(RegressionFormula, WithAsManyDataAsCoefficientsIsBdf) {
  const std::array<const char*, 6> wanted = {
      "1 1",
      "2/3 4/3 -1/3",
      "6/11 18/11 -9/11 2/11",
      "12/25 48/25 -36/25 16/25 -3/25",
      "60/137 300/137 -300/137 200/137 -75/137 12/137",
      "20/49 120/49 -150/49 400/147 -75/49 24/49 -10/147",
  };
  const std::array<const char*, 6> constants = {"-1/2",    "-2/9",    "-3/22",
                                                "-12/125", "-10/137", "-20/343"};
  const std::array<Real, 6> angles = {90, 90, 86.0324L, 73.3517L, 51.8398L, 17.8398L};
  for (std::size_t i = 0; i < 6; ++i) {
    const RegressionFormula formula = derive_formula(bdf(static_cast<int>(i) + 1)).value();
    EXPECT_EQ(coefficients(formula), wanted[i]);
    EXPECT_EQ(formula.error_constant.text(), constants[i]);
    EXPECT_TRUE(near(stiff_stability(linear_formula(formula)).angle, angles[i], 1e-3L)) << i;
  }
  EXPECT_FALSE(is_a0_stable(linear_formula(derive_formula(bdf(7)).value())));
  EXPECT_TRUE(is_l_stable(numbers_of("fbdf1")));
  EXPECT_TRUE(is_l_stable(numbers_of("fbdf2")));
  EXPECT_FALSE(is_a_stable(numbers_of("fbdf3")));
}

TEST(RegressionFormula, HasExactlyTheOrderOfItsPolynomial) {
  for (const Regression& method : regression_methods()) {
    const LinearFormula formula = numbers_of(method.name);
    for (int q = 0; q <= method.order + 1; ++q) {
      const auto power = [](Real s, int exponent) {
        return exponent == 0 ? Real{1} : std::pow(s, static_cast<Real>(exponent));
      };
      Real defect = 1 - (q == 0 ? 0 : q * formula.b[0]);
      for (std::size_t i = 0; i < formula.a.size(); ++i) {
        const auto s = -static_cast<Real>(i);
        defect -= formula.a[i] * power(s, q);
        if (q > 0) defect -= formula.b[i + 1] * q * power(s, q - 1);
      }
      if (q <= method.order) {
        EXPECT_LT(std::abs(defect), 1e-10L) << method.name << " " << q;
      } else {
        EXPECT_GT(std::abs(defect), 0.5L) << method.name;
      }
    }
  }
}

TEST(RegressionFormula, IsRefusedWhereItsDataSayTooLittle) {
  const Regression too_few{.name = "too-few", .order = 3, .values = {0, 1}};
  EXPECT_EQ(derive_formula(too_few).error().code, "usage.regression-data");
  const Regression no_value{.name = "slopes", .order = 1, .values = {}, .slopes = {0, 1}};
  EXPECT_EQ(derive_formula(no_value).error().code, "usage.regression-data");
}

TEST(RegressionFormula, IsRefusedWhereItsFractionsAreTooLong) {
  Regression method{.name = "long", .order = 12, .values = {}, .slopes = {}};
  for (int back = 0; back < 20; ++back) {
    method.values.push_back(back);
    method.slopes.push_back(back);
  }
  EXPECT_EQ(derive_formula(method).error().message,
            "a coefficient of `long` has more than 61 bits");
}

TEST(Search, FindsAsManyA0StableFormulasAsThereAre) {
  const std::array<std::size_t, 5> near_counts = {16, 11, 3, 1, 0};
  for (std::size_t i = 0; i < near_counts.size(); ++i)
    EXPECT_EQ(search_formulas({.data = 8 + i}).size(), near_counts[i]) << 8 + i;
  EXPECT_EQ(search_formulas({.values_back = 7, .data = 10}).size(), 7U);
  EXPECT_EQ(search_formulas({.slopes_back = 7, .data = 11}).size(), 1U);
  EXPECT_EQ(search_formulas({.values_back = 7, .slopes_back = 7, .data = 11}).size(), 6U);
}

TEST(Search, FindsThePublishedFormulasOfOrder6) {
  const std::vector<Regression> of_8 = search_formulas({.data = 8});
  const Regression& wanted = regression("rbdf64");
  EXPECT_TRUE(std::ranges::any_of(of_8, [&](const Regression& found) {
    return found.values == wanted.values && found.slopes == wanted.slopes;
  }));
}

TEST(DampingPlot, OfBdf6MeetsTheRealAxisWhereTheLocusDoes) {
  const LinearFormula bdf6 = numbers_of("fbdf6");
  EXPECT_TRUE(near(critical_damping(bdf6), 0.13L, 0.01L));
  EXPECT_TRUE(near(spectral_radius(bdf6, 27.7333L), 1, 1e-3L));  // on the positive axis
  EXPECT_LT(numerical_damping(bdf6, -20), 0);
  EXPECT_GT(numerical_damping(bdf6, -30), 0);
}

TEST(BodePlot, FollowsSlowOscillationsAndDampsFastOnes) {
  const LinearFormula formula = numbers_of("rbdf66");
  const Oscillation slow = numerical_oscillation(formula, 0.05L);
  EXPECT_TRUE(near(slow.frequency, 0.05L, 1e-9L));
  EXPECT_TRUE(near(slow.damping, 0, 1e-9L));
  EXPECT_GT(numerical_oscillation(formula, 100).damping, 0.1L);
}

TEST(OrderStar, IsOneNearTheOrigin) {
  EXPECT_TRUE(near(order_star(numbers_of("rbdf713"), {-0.01L, 0.01L}), 1, 1e-12L));
}

}  // namespace
}  // namespace daedalus::methods
