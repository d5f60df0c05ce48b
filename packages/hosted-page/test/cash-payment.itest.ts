import { payable, readAt, sampleVoucher } from './payables.ts'
import { openTab, screen, stopClock } from './payer-browser.ts'
import { browser, ownServerAndBrowser, server } from './payer-world.ts'
import { voucherIssued } from './payment-scripts.ts'

ownServerAndBrowser()

const bothMethods = payable({ payment_method_types: ['card', 'cash'] })
const withVoucher = payable({
  payment_method_types: ['card', 'cash'],
  concepto: 'Anticipo de la mesa de nogal',
  voucher: sampleVoucher,
  had_voucher: true,
  expires_at: Date.parse(sampleVoucher.due_at),
})

test('chooses cash and requests a voucher with the keyboard only', async () => {
  const offer = server.offer(bothMethods)
  offer.scripts.push(voucherIssued)
  const { page, complaints, close } = await openTab(browser, server.origin)
  await page.goto(offer.url)
  await screen(page, 'form')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('method-card')
  await page.keyboard.press('ArrowRight')
  expect(await page.locator('#method-cash').isChecked()).toBe(true)
  expect(await page.locator('#number').count()).toBe(0)
  await page.keyboard.press('Tab')
  await page.keyboard.type('ana@example.com')
  await page.keyboard.press('Enter')
  await screen(page, 'voucher')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('title')
  expect(offer.payments.map(({ body }) => JSON.parse(body))).toEqual([
    { method: 'cash', amount_cents: 125_000, payer_email: 'ana@example.com' },
  ])
  expect(complaints).toEqual([])
  await close()
})

test('keeps the typed card after a switch to cash and back', async () => {
  const offer = server.offer(bothMethods)
  const { page, close } = await openTab(browser, server.origin)
  await page.goto(offer.url)
  await page.locator('#number').fill('4242424242424242')
  await page.locator('#method-cash').check()
  await page.locator('#method-card').check()
  expect(await page.locator('#number').inputValue()).toBe('4242 4242 4242 4242')
  await close()
})

test('shows the same reference and accepts no card after a reload while a voucher is open', async () => {
  const offer = server.offer(withVoucher)
  const { page, close } = await openTab(browser, server.origin)
  await page.goto(offer.url)
  await screen(page, 'voucher')
  await page.reload()
  await screen(page, 'voucher')
  const shown = (await page.locator('#reference').textContent()) ?? ''
  expect(shown.replaceAll(/\s/g, '')).toBe(sampleVoucher.reference)
  expect(await page.locator('input').count()).toBe(0)
  await close()
})

test('copies the reference without its spaces', async () => {
  const offer = server.offer(withVoucher)
  const { page, close } = await openTab(browser, server.origin, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(offer.url)
  await page.locator('.copy-button').click()
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== '')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(sampleVoucher.reference)
  await close()
})

test('asks the payer for confirmation before cancelling a voucher', async () => {
  const offer = server.offer(withVoucher)
  const { page, close } = await openTab(browser, server.origin)
  await page.goto(offer.url)
  await page.locator('button.quiet-button').click()
  expect(await page.locator('dialog').textContent()).toMatch(/referencia/i)
  await page.locator('.danger-button').click()
  await screen(page, 'cancelled')
  await close()
})

test('prints everything the counter needs and no controls', async () => {
  const offer = server.offer(withVoucher)
  const { page, close } = await openTab(browser, server.origin)
  await page.goto(offer.url)
  await screen(page, 'voucher')
  await page.emulateMedia({ media: 'print' })
  for (const words of ['Café Azul', 'Anticipo de la mesa de nogal', '1,250.00', /18 (de )?jun.* 2026/])
    expect({ words, seen: await page.getByText(words).filter({ visible: true }).count() }).toEqual({ words, seen: 1 })
  expect(await page.locator('#reference').isVisible()).toBe(true)
  const shown = await page.evaluate(
    () => [...document.querySelectorAll('button, a, dialog')].filter(element => element.checkVisibility()).length,
  )
  expect(shown).toBe(0)
  expect(await page.locator('main svg').first().isVisible()).toBe(true)
  await close()
})

test('shows the form again after the pause of a link with too many declines', async () => {
  const offer = server.offer(payable({ attempts_left: 0, retry_at: readAt + 60_000 }))
  const { page, close } = await openTab(browser, server.origin)
  await stopClock(page)
  await page.goto(offer.url)
  await screen(page, 'blocked')
  expect(await page.locator('input').count()).toBe(0)
  offer.change({ attempts_left: 10, retry_at: null })
  await page.clock.runFor(61_000)
  await screen(page, 'form')
  await close()
})
