declare const brand: unique symbol;

/** A value of type `T` that only its own parser can create, so that two kinds of id never mix. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
