/** Imports the package local-stack. Returns undefined in the ops image, which does not contain it. */
export async function findLauncher() {
  try {
    return await import('@cobro/local-stack')
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
