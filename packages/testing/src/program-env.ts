/** What a program that a test starts needs of the test's own environment: to be found, and to start sooner. */
export function programEnv(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) }
}
