import type { Browser } from 'playwright-core'
import { cutOff, wcagFaults } from './page-checks.ts'
import { type PageState, pageStates } from './page-states.ts'
import { openBrowser, openTab } from './payer-browser.ts'
import { type PayerServer, startPayerServer } from './payer-server.ts'
import { keepPicture, keptPicture, openDarkroom, type Sketch, takePicture, unlike } from './pictures.ts'

const sizes = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]

let server: PayerServer
let browser: Browser
let sketch: (picture: Buffer) => Promise<Sketch>
beforeAll(async () => {
  ;[server, browser] = await Promise.all([startPayerServer(), openBrowser()])
  sketch = await openDarkroom(browser)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

async function openState({ offer: payable, script, readStatus = 200, path, steps, shows }: PageState) {
  const offer = server.offer(payable)
  if (script) offer.scripts.push(script)
  offer.readStatus = readStatus
  const tab = await openTab(browser, server.origin, { viewport: sizes[0] as (typeof sizes)[0] })
  await tab.page.goto(path ? server.origin + path : offer.url)
  await steps?.(tab.page, offer)
  await tab.page.locator(shows).first().waitFor()
  return tab
}

test.each(Object.entries(pageStates))(
  '%s fits every window, is accessible and looks as it did',
  async (name, state) => {
    const tab = await openState(state)
    const faults: Record<string, string[]> = {}
    for (const size of sizes) {
      await tab.page.setViewportSize(size)
      const picture = await takePicture(tab.page)
      const file = `${name}-${size.width}`
      if (process.env.UPDATE_SCREENS) await keepPicture(file, picture)
      const looks = unlike(await sketch(picture), await sketch(await keptPicture(file)))
      const found = [...looks, ...(await cutOff(tab.page)), ...(await wcagFaults(tab.page))]
      if (found.length > 0) faults[file] = found
    }
    expect({ ...faults, complaints: tab.complaints }).toEqual({ complaints: [] })
    await tab.close()
  },
)
