import type { Locator, Page } from 'playwright-core'
import { shellTexts } from '../src/text/shell-texts.ts'
import { screens } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { merchantId } from './service-answers.ts'

const { es: texts } = shellTexts

let service: ScriptedService
let page: Page
useScriptedTab(
  opened => {
    ;({ service, page } = opened)
  },
  { isPhone: true },
)

const open = (path: string) => page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
const main = () => page.locator('main')
const dialog = () => page.getByRole('dialog')

/**
 * Names the controls that are lower than a finger needs. Links within sentences may be, and bars of charts, which have a table; the
 * label of a box and the row of a link are parts of them. Evaluated in the browser.
 */
function lowControls(): string[] {
  const area = (control: any) => {
    const label = control.matches('[type=checkbox], [type=radio]') && control.closest('label')
    const row = control.matches('[class*=row]') && control.closest('tr')
    return (label || row || control).getBoundingClientRect()
  }
  const isText = (node: any) => node?.nodeType === Node.TEXT_NODE && node.data.trim() !== ''
  const isInText = (link: any) => link.localName === 'a' && (isText(link.previousSibling) || isText(link.nextSibling))
  // Of the library, for screen readers alone.
  const isHidden = (control: any) => control.matches('[aria-hidden=true] *, [style*="width: 1px"]')
  return [...document.querySelectorAll<any>('a, button, input, select, textarea, summary, [role=option]')]
    .filter(control => control.checkVisibility({ visibilityProperty: true }) && !isHidden(control))
    .filter(control => !isInText(control) && area(control).height < 44)
    .map(control => `${area(control).height} pixels: ${control.outerHTML.slice(0, 200)}`)
}

const check = async (shown: Locator) => {
  await shown.first().waitFor()
  expect(await page.evaluate(lowControls)).toEqual([])
}

test.each(screens)('the controls of $name and of its dialogs are high enough for fingers', async ({ path, filled }) => {
  await open(path)
  await page.locator(filled).first().waitFor()
  for (const table of await main().getByText(texts.asTable).all()) await table.click()
  await check(main())
  // Those of links have the payer's page in a frame, which is not scripted.
  if (path.startsWith('links')) return
  for (const opener of await main().locator('button[aria-expanded]').all()) {
    await opener.click()
    await check(dialog())
    const cancel = dialog().getByRole('button', { name: texts.cancel, exact: true })
    await ((await cancel.count()) > 0 ? cancel.click() : page.keyboard.press('Escape'))
    await dialog().waitFor({ state: 'detached' })
  }
})

test('the controls of account and of what the bar at the bottom has are high enough for fingers', async () => {
  await open('account')
  await check(main().getByText('ana@example.com'))
  for (const name of [texts.find, texts.more]) {
    await page.getByRole('button', { name, exact: true }).click()
    await check(dialog())
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  }
})
