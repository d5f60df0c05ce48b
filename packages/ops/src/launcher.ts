/** The launcher of stacks that run here; undefined in the image of these commands, which holds none. */
export async function findLauncher() {
  try {
    return await import('@cobro/local-stack')
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
