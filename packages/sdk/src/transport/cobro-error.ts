export const brandOf = (name: string) => Symbol.for(`@cobro/sdk/${name}`)

/**
 * The base of all errors of this package. `instanceof` also works between the two copies of the SDK
 * that a program loads when one part imports it and another requires it.
 */
export class CobroError extends Error {
  static readonly brand: symbol = brandOf('CobroError')
  /** Whether the call may have had its effect, in this attempt or an earlier one. */
  outcomeUnknown = false

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    for (let kind = new.target; kind.brand !== undefined; kind = Object.getPrototypeOf(kind)) {
      Object.defineProperty(this, kind.brand, { value: true })
    }
    this.name = new.target.brand.description?.split('/').at(-1) ?? 'CobroError'
  }

  // biome-ignore-start lint/complexity/noThisInStatic: each class is asked for its own brand.
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class of a caller that extends one of these has no brand of its own.
    if (!Object.hasOwn(this, 'brand')) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && this.brand in value
  }
  // biome-ignore-end lint/complexity/noThisInStatic: as above
}
