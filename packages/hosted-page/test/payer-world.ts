import type { HostedPayable } from '@cobro/contracts'
import { payable } from './payables.ts'
import { openBrowser, openTab, screen } from './payer-browser.ts'
import { startPayerServer } from './payer-server.ts'

/** Each test file that imports this has its own server and browser. */
export const [server, browser] = await Promise.all([startPayerServer(), openBrowser()])
afterAll(async () => {
  await browser.close()
  await server.stop()
})

/** Opens a tab with the form of a payable. */
export async function openForm(offered: HostedPayable = payable()) {
  const offer = server.offer(offered)
  const tab = await openTab(browser, server.origin)
  await tab.page.goto(offer.url)
  await screen(tab.page, 'form')
  return { ...tab, offer }
}
