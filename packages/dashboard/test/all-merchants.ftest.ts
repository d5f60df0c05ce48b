import { listTexts } from '../src/text/list-texts.ts'
import type { DashboardTab } from './dashboard-tab.ts'
import { lists } from './screen-list.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: texts } = listTexts

let service: ScriptedService
let tab: DashboardTab
useScriptedTab(opened => {
  ;({ service, tab } = opened)
})

/** Opens a list of all merchants, as an operator, or of one. */
async function open(scope: string, path: string): Promise<void> {
  const login = answerOf('refreshBrowserLogin')
  const { data } = answerOf('getMe')
  service.answer('refreshBrowserLogin', { body: { ...login, user: { ...login.user, merchant_id: null } } })
  const merchant = scope === 'all' ? null : data.merchant
  service.answer('getMe', { body: { data: { ...data, kind: 'operator', merchant } } })
  await tab.page.goto(`${service.origin}/dashboard/${scope}/${path}`)
  await tab.page.locator('main tbody tr').first().waitFor()
}

test.each(lists)(
  'the list of $name names the merchant of each row, unless it is that of one',
  async ({ path, reads }) => {
    const list = answerOf(reads)
    const rows = list.data.map((row: object) => ({ ...row, merchant_id: merchantId }))
    service.answer(reads, { body: { ...list, data: rows } })
    const column = tab.page.locator('main').getByRole('columnheader', { name: texts.merchant, exact: true })
    await open('all', path)
    await tab.check('all merchants', column)
    await tab.page.locator('main tbody td').getByText(merchantId).first().waitFor()
    await open(merchantId, path)
    expect(await column.count()).toBe(0)
  },
)
