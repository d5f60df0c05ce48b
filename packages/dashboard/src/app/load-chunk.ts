const tries = 3
const pauseMs = 500
const timeoutMs = 10_000

/** Only a reload of the page helps: the server has another version, or the browser keeps that an import has failed. */
export class ChunkGone extends Error {}

const fetched = new Set<string>()

/**
 * Loads a module with the files that it needs. The build puts this function around every `import()`. Older browsers keep for good that
 * a module could not be loaded, so it is imported once its files are in the cache of the browser. A fetch can be repeated, and says why
 * it failed.
 *
 * @public
 */
export async function loadChunk<Module>(load: () => Promise<Module>, files: readonly string[] = []): Promise<Module> {
  const urls = files.map(file => new URL(`${import.meta.env.BASE_URL}${file}`, location.origin))
  for (let tried = 1; ; tried++) {
    try {
      // The page has loaded its own files, or is loading them.
      await Promise.all(urls.filter(url => tried > 1 || !isOfPage(url)).map(fetchOnce))
      return await load()
    } catch (error) {
      if (error instanceof ChunkGone) throw error
      const isFetched = urls.length > 0 && urls.every(({ href }) => fetched.has(href))
      if (tried === tries) throw isFetched ? new ChunkGone(String(error)) : error
      await new Promise(resolve => setTimeout(resolve, tried * pauseMs))
    }
  }
}

const isOfPage = ({ pathname }: URL) => document.querySelector(`[href="${pathname}"], [src="${pathname}"]`) !== null

async function fetchOnce({ href }: URL): Promise<void> {
  if (fetched.has(href)) return
  const response = await fetch(href, { signal: AbortSignal.timeout(timeoutMs) })
  if (response.status === 404) throw new ChunkGone(href)
  if (!response.ok) throw new Error(`${href}: ${response.status}`)
  // The browser keeps only what was read to its end.
  await response.arrayBuffer()
  fetched.add(href)
}
