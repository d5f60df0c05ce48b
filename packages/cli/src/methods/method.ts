/** A method of the SDK as a command. */
export interface MethodCommand {
  summary: string
  /** The names of its arguments. */
  ids: readonly string[]
  isList: boolean
  /** Whether it accepts an Idempotency-Key. */
  isKeyed: boolean
  /** Whether it changes nothing, so that it can be repeated. */
  isRead: boolean
  /** Whether keys and users may call it. */
  keys: boolean
  users: boolean
  /** The fields of its input by their paths; `x.*` takes any field below `x`. */
  fields: Readonly<Record<string, InputField>>
}

export interface InputField {
  /** `text` is taken as it is; everything else is read as JSON. */
  type: string
  text: string
  required?: boolean
  /** Whether `null` clears it. */
  nullable?: boolean
}
