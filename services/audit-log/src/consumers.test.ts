import { setImmediate } from 'node:timers'
import { httpRequests, messageOfMany, newId } from '@cobro/contracts'
import { recordCalls, turnsOfEventLoop } from './consumers.ts'

const call = () => ({
  event: {
    ...{ id: newId('evt'), name: 'http.request', occurred_at: new Date().toISOString() },
    ...{ merchant_id: null, target_id: null, correlation_id: null, request_id: newId('req') },
    actor: { type: 'system' as const, id: null },
    data: {
      ...{ method: 'GET', path: '/', status_code: 200, ip: null, user_agent: null },
      ...{ duration_ms: 1, trace_id: null, metadata: null },
    },
  },
  traceparent: null,
})

test('messages of calls that arrive together are handled in turns of the event loop, so that others come in between', async () => {
  let turn = 0
  const count = () => {
    turn++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const turns: number[] = []
  const store = async () => void turns.push(turn)
  const handle = recordCalls({ store, isUnavailable: () => false, turn: turnsOfEventLoop() })
  await Promise.all([1, 2, 3].map(() => handle(messageOfMany(httpRequests, [call(), call()]))))
  clearImmediate(counting)
  const [first = 0] = turns
  expect(turns).toEqual([0, 0, 1, 1, 2, 2].map(after => first + after))
})
