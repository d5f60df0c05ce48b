const inherited = ['PATH', 'NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE', 'PROTOCOL_TIMINGS']

/**
 * Returns the variables that a program started by a test inherits: PATH, and Node's compile cache
 * and coverage if they are set.
 */
export function programEnv(): Record<string, string> {
  return Object.fromEntries(inherited.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])))
}
