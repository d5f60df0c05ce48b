import type { HostedPayable } from '@cobro/contracts'
import { es } from '../text/messages-es.ts'
import { initialState } from './page-state.ts'
import { screenWords } from './screen-words.ts'
import { sampleSession } from './session-sample.ts'

test.each<[string, Partial<HostedPayable>, { title: string; text: string }]>([
  ['the payer had a voucher', { had_voucher: true }, es.variants.voucher_cancelled],
  ['no attempts are left', { attempts_left: 0 }, es.variants.exhausted],
  ['attempts are left', { attempts_left: 1 }, es.screens.cancelled],
])('describes a cancelled payment when %s', (_when, changes, words) => {
  const session = sampleSession({ status: 'cancelled', ...changes })
  expect(screenWords('cancelled', { ...initialState('es', 0), session }, es)).toEqual(words)
})
