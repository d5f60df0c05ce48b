import type { Locator, Page } from 'playwright-core'
import { branchesTexts } from '../src/text/branches-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { details, screens } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: texts } = shellTexts

let service: ScriptedService
let page: Page
useScriptedTab(opened => {
  ;({ service, page } = opened)
})

const open = (path: string) => page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
const heading = () => page.locator('main h1')

/** Waits until something has the focus. */
const focused = (one: Locator) => one.and(page.locator(':focus')).waitFor()

const outlineOf = (one: Locator) =>
  one.evaluate((element: any) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return `${outlineWidth} ${outlineStyle}`
  })

test('the first key leads past the menu, and what has the focus is outlined', async () => {
  await open('payments')
  await page.locator('main tbody tr').first().waitFor()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: texts.skip })
  await focused(skip)
  expect(await outlineOf(skip)).toBe('2px solid')
  expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Enter')
  await focused(page.locator('main'))
  await page.keyboard.press('Tab')
  const next = page.locator(':focus')
  expect(await next.evaluate((element: any) => element.closest('main') !== null)).toBe(true)
  expect(await outlineOf(next)).toBe('2px solid')
})

test('a dialog that is left gives the focus back to its button', async () => {
  await open('branches')
  const button = page.locator('main').getByRole('button', { name: branchesTexts.es.newBranch }).first()
  await button.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await focused(button)
  expect(await outlineOf(button)).toBe('2px solid')
})

const sections = screens.flatMap(({ section }) => section ?? [])

test.each(sections)('a change to %s moves the focus to its heading', async section => {
  await open('account')
  await heading().waitFor()
  await page
    .getByRole('navigation', { name: texts.navigation })
    .getByRole('link', { name: texts[section] })
    .press('Enter')
  await focused(page.locator('main').getByRole('heading', { level: 1, name: texts[section] }))
  expect(await outlineOf(heading())).toMatch(/none$/)
})

test.each(details)('a $name that is still read has the focus, and then its heading', async ({ path, reads }) => {
  service.answer(reads, 'held')
  await open('account')
  await heading().waitFor()
  await page.evaluate(address => {
    history.pushState({}, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/dashboard/${merchantId}/${path}`)
  await heading().waitFor({ state: 'detached' })
  await focused(page.locator('main'))
  service.answer(reads, { body: answerOf(reads) })
  await heading().waitFor()
  await focused(heading())
})
