import type { Page } from 'playwright-core'
import { linkPayable, payable } from './payables.ts'
import { screen } from './payer-browser.ts'
import { openForm, ownServerAndBrowser } from './payer-world.ts'
import { approved, declined, refused } from './payment-scripts.ts'

ownServerAndBrowser()

const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id)

/** Presses Tab until the wanted element has the focus, at most twenty times. */
async function tabTo(page: Page, selector: string) {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(wanted => document.activeElement?.matches(wanted), selector)) return
  }
  throw new Error(`Tab does not lead to ${selector}`)
}

async function typeCardByKeys(page: Page) {
  await tabTo(page, '#number')
  for (const text of ['4242424242424242', '1231', '123', 'Ana Ruiz']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
}

test('completes a card payment with Tab, letters and Enter, and focuses the heading of the outcome', async () => {
  const { page, offer, complaints, close } = await openForm(linkPayable())
  offer.scripts.push(declined('insufficient_funds', 9), approved)
  await typeCardByKeys(page)
  await tabTo(page, '.pay-button')
  await page.keyboard.press('Enter')
  await page.locator('[data-notice=declined]').waitFor()
  expect(await focusedId(page)).toBe('notice')

  await tabTo(page, '#cvc')
  await page.keyboard.type('123')
  await page.keyboard.press('Enter')
  await screen(page, 'completed')
  expect(await focusedId(page)).toBe('title')
  expect(offer.payments).toHaveLength(2)
  expect(complaints).toEqual([])
  await close()
})

test('shows a focus ring on every focusable element', async () => {
  const { page, close } = await openForm(payable({ redirect_url: 'https://shop.example/' }))
  const unmarked: string[] = []
  const seen = new Set<string>()
  for (let presses = 0; presses < 12; presses++) {
    await page.keyboard.press('Tab')
    const { name, marked } = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
      // A field may show it on the surrounding box.
      const box = element.parentElement && getComputedStyle(element.parentElement)
      const outlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      const boxed = box && (box.boxShadow !== 'none' || Number.parseFloat(box.outlineWidth) >= 2)
      return {
        name: element.id || element.className || element.localName,
        marked: outlined || boxShadow !== 'none' || boxed,
      }
    })
    if (name === 'body') continue
    seen.add(name)
    if (!marked) unmarked.push(name)
  }
  expect(unmarked).toEqual([])
  expect([...seen]).toEqual(expect.arrayContaining(['number', 'expiry', 'cvc', 'holder', 'email', 'pay-button']))
  await close()
})

test('focuses the first invalid field after a rejected click and links its message to it', async () => {
  const { page, offer, close } = await openForm()
  await tabTo(page, '#number')
  await page.keyboard.type('4242424242424242')
  await page.keyboard.press('Enter')
  await page.locator('#expiry[aria-invalid=true]').waitFor()
  expect(await focusedId(page)).toBe('expiry')
  const note = await page.locator('#expiry').getAttribute('aria-describedby')
  expect(await page.locator(`#${note}`).textContent()).toMatch(/vencimiento/i)
  expect(await page.locator('#number').getAttribute('aria-invalid')).not.toBe('true')
  expect(offer.payments).toEqual([])
  await close()
})

test('closes the cancel dialog on Escape and returns the focus to its button', async () => {
  const { page, offer, close } = await openForm()
  await tabTo(page, 'button.quiet-button')
  await page.keyboard.press('Enter')
  await page.locator('dialog[open]').waitFor()
  expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true)
  await page.keyboard.press('Escape')
  await page.locator('dialog:not([open])').waitFor({ state: 'attached' })
  expect(await page.evaluate(() => document.activeElement?.className)).toContain('quiet-button')
  expect(offer.payable().status).toBe('pending')
  await close()
})

test('cancels a payment with the keyboard and announces it', async () => {
  const { page, offer, close } = await openForm()
  await tabTo(page, 'button.quiet-button')
  await page.keyboard.press('Enter')
  await tabTo(page, '.danger-button')
  await page.keyboard.press('Enter')
  await screen(page, 'cancelled')
  expect(offer.payable().status).toBe('cancelled')
  expect(await focusedId(page)).toBe('title')
  await close()
})

test('keeps the typed card after a rejected call and focuses the reason', async () => {
  const { page, offer, close } = await openForm()
  offer.scripts.push(refused(429, 'rate_limited', { 'Retry-After': '60' }))
  await typeCardByKeys(page)
  await page.locator('#holder').press('Enter')
  await page.locator('[data-notice=rate_limited]').waitFor()
  expect(await focusedId(page)).toBe('notice')
  expect(await page.locator('#number').inputValue()).toBe('4242 4242 4242 4242')
  await close()
})
