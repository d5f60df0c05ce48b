import type { BrowserContext, Page } from 'playwright-core'

/** What the pages of a browser note of themselves. */
export interface Noted {
  /** When the largest content of the page that was loaded last was painted. */
  largestPaintMs: number
  /** How far things moved without an input, over all pages. */
  shift: number
  /** The longest time for which a page could not react. */
  longestTaskMs: number
  /** The longest time from an input to what it changed. */
  slowestInteractionMs: number
}

/** A phone of the middle class on a slow network. */
const slowness = 4
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

/** Opens a page that is slow, and notes what it and the pages that follow it take. */
export async function slowPage(context: BrowserContext): Promise<{ page: Page; noted: Noted }> {
  const noted: Noted = { largestPaintMs: 0, shift: 0, longestTaskMs: 0, slowestInteractionMs: 0 }
  await context.exposeBinding('note', (_source, name: keyof Noted, value: number) => {
    if (name === 'largestPaintMs') noted[name] = value
    else if (name === 'shift') noted[name] += value
    else noted[name] = Math.max(noted[name], value)
  })
  await context.addInitScript(takeNotes)
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', network)
  return { page, noted }
}

/** What `slowPage` gives to pages. */
declare function note(name: keyof Noted, value: number): void

/** Evaluated in the browser, at the start of each page. */
function takeNotes(): void {
  const watch = (type: string, read: (entry: any) => void, options: object = {}) =>
    new PerformanceObserver(list => list.getEntries().forEach(read)).observe({ type, buffered: true, ...options })
  watch('largest-contentful-paint', ({ startTime }) => note('largestPaintMs', startTime))
  watch('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) note('shift', value)
  })
  watch('longtask', ({ duration }) => note('longestTaskMs', duration))
  const interaction = ({ interactionId, duration }: { interactionId?: number; duration: number }) => {
    if (interactionId) note('slowestInteractionMs', duration)
  }
  watch('event', interaction, { durationThreshold: 16 })
}

/**
 * Returns how long the page takes from the click or choice in `act` until an expression holds and is painted. Measured within the page:
 * from outside, the test's own calls would count.
 */
export async function paintedAfter(page: Page, act: () => Promise<unknown>, isShown: string): Promise<number> {
  const measured = page.evaluate<number, string>(
    expression =>
      new Promise(resolve => {
        const holds = new Function(`return ${expression}`)
        const start = () => {
          const startMs = performance.now()
          const check = () =>
            holds() ? requestAnimationFrame(() => resolve(performance.now() - startMs)) : requestAnimationFrame(check)
          check()
        }
        for (const type of ['click', 'change']) addEventListener(type, start, { capture: true, once: true })
      }),
    isShown,
  )
  await act()
  return measured
}
