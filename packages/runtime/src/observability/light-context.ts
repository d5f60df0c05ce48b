import { type Context, ROOT_CONTEXT } from '@opentelemetry/api'

/**
 * A context whose methods are shared. OpenTelemetry's own assigns three functions to each new context, which V8 makes old at once,
 * together with the spans and calls that they lead to (ADR 87).
 */
class LightContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.#values = values
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key)
  }

  setValue(key: symbol, value: unknown): Context {
    return new LightContext(new Map(this.#values).set(key, value))
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.#values)
    values.delete(key)
    return new LightContext(values)
  }
}

/** Stands for OpenTelemetry's root, so that all contexts derived from it are light. */
export const lightRoot: Context = new LightContext(new Map())

/** Returns our root instead of OpenTelemetry's, and any other context as it is. */
export const lightContext = (given: Context): Context => (given === ROOT_CONTEXT ? lightRoot : given)
