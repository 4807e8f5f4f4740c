// Whether two C functions can be called alike: what a vendor's header declares and what its fake
// does. Names of types don't count; kinds, sizes and signs do. Knows no library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace guard {

template <std::size_t Size>
struct Bytes {};
template <std::size_t Size, bool Signed>
struct Whole {};

template <typename T, typename = void>
struct Shape {
  using type = T;
};
/// C hands an enum over as an int, whichever sign its values have.
template <typename T>
struct Shape<T, std::enable_if_t<std::is_enum_v<T>>> {
  using type = Whole<sizeof(T), true>;
};
template <typename T>
struct Shape<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, char>>> {
  using type = Whole<sizeof(T), std::is_signed_v<T>>;
};
template <typename T>
struct Shape<T, std::enable_if_t<std::is_class_v<T>>> {
  using type = Bytes<sizeof(T)>;
};
template <typename T>
struct Shape<T*> {
  using type = typename Shape<std::remove_const_t<T>>::type*;
};
template <typename Result, typename... Arguments>
struct Shape<Result (*)(Arguments...)> {
  using type = typename Shape<Result>::type (*)(typename Shape<Arguments>::type...);
};

template <typename A, typename B>
inline constexpr bool kSame = std::is_same_v<typename Shape<A>::type, typename Shape<B>::type>;

}  // namespace guard
