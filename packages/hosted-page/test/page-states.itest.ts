import { openDarkroom } from './darkroom.ts'
import { cutOff, wcagFaults } from './page-checks.ts'
import { logoUrl, type PageState, pageStates } from './page-states.ts'
import { openTab } from './payer-browser.ts'
import { browser, server } from './payer-world.ts'
import { keepPicture, keptPicture, takePicture, unlike } from './pictures.ts'

const allSizes = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]
/** The short form looks at the narrowest alone, where most would not fit. */
const sizes = process.env.COBRO_TEST_LONG === '1' || process.env.UPDATE_SCREENS ? allSizes : allSizes.slice(0, 1)

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#0a5" d="M0 0h8v8H0z"/><path fill="#fff" d="M2 2h4v4H2z"/></svg>'

const darkroom = await openDarkroom(browser)

async function openState({ offer: payable, script, status = 200, path, steps, shows }: PageState) {
  const offer = server.offer(payable)
  if (script) offer.scripts.push(script)
  offer.readStatus = status
  offer.streamStatus = status
  const tab = await openTab(browser, server.origin, { viewport: sizes[0]! })
  await tab.page.route(logoUrl, route => route.fulfill({ contentType: 'image/svg+xml', body: logo }))
  await tab.page.goto(path ? server.origin + path : offer.url)
  await steps?.(tab.page, offer)
  await tab.page.locator(shows).first().waitFor()
  // Whatever a click left the mouse over would look otherwise.
  await tab.page.mouse.move(0, 0)
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
      if (process.env.UPDATE_SCREENS) await keepPicture(file, await darkroom.shrink(picture))
      // The darkroom is a process of its own, so that it works while the page is examined.
      const [taken, kept, cut, faulty] = await Promise.all([
        darkroom.sketch(picture),
        keptPicture(file).then(darkroom.sketch),
        cutOff(tab.page),
        wcagFaults(tab.page),
      ])
      const found = [...unlike(taken, kept), ...cut, ...faulty]
      if (found.length > 0) faults[file] = found
    }
    const strangers = state.offer.logo_url ? [`request to ${logoUrl}`] : []
    expect({ ...faults, complaints: tab.complaints }).toEqual({ complaints: strangers })
    await tab.close()
  },
)

test.each([
  ['card-form', 'declined'],
  ['card-form', 'processing'],
  ['card-form', 'brand-yellow'],
  ['card-form', 'loading'],
  ['processing', 'paid'],
])('the comparison of pictures tells %s from %s', async (one, other) => {
  for (const { width } of sizes) {
    const [taken, kept] = await Promise.all(
      [one, other].map(async name => darkroom.sketch(await keptPicture(`${name}-${width}`))),
    )
    expect(unlike(taken!, kept!)).not.toEqual([])
  }
})

test.each(['declined', 'paid'])(
  'the comparison of pictures does not mind that %s is set in another font',
  async name => {
    const tab = await openState(pageStates[name]!)
    await tab.page.evaluate(() => document.documentElement.style.setProperty('--font', 'serif'))
    for (const size of sizes) {
      await tab.page.setViewportSize(size)
      const taken = await darkroom.sketch(await takePicture(tab.page))
      const kept = await darkroom.sketch(await keptPicture(`${name}-${size.width}`))
      expect(unlike(taken, kept)).toEqual([])
    }
    await tab.close()
  },
)
