import { payToday } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

test('the orders of today of the demo shop are paid once, and everything about them is on record', async () => {
  const { stack } = await sharedStack()
  const { merchant } = await clientsOf(stack)
  const api = { url: stack.base_url, key: stack.api_key }
  await payToday(api)
  await payToday(api)
  const statusesOf = async (number: number): Promise<string[]> => {
    const { body } = await merchant.call(
      'GET',
      `/api/transactions?order_id=LE-TODAY-${number}&order=created_at&dir=asc`,
    )
    return body.data.map(({ status }: { status: string }) => status)
  }
  const expected = [['approved'], ['declined'], ['pending'], ['refunded'], ['declined', 'approved']]
  await waitFor(async () => (await statusesOf(4))[0] === 'refunded')
  expect(await Promise.all(expected.map((_, index) => statusesOf(index + 1)))).toEqual(expected)

  const { body } = await merchant.call('GET', '/api/transactions?order_id=LE-TODAY-4')
  await waitFor(async () => {
    const lifecycle = await merchant.call('GET', `/api/lifecycles/${body.data[0].correlation_id}?kind=event&limit=200`)
    return lifecycle.body.data.some(({ action }: { action: string }) => action === 'payment.refunded')
  })
})
