import { httpAcquirer } from '@cobro/acquirer'
import { describeAcquirer } from '@cobro/acquirer/conformance'
import { secret } from '@cobro/runtime'
import { receiveNotifications } from './notification-receiver.ts'
import { apiKey, runSandbox, sandboxDatabase, settleSlowCharges } from './running-sandbox.ts'

describeAcquirer('the HTTP adapter with the sandbox acquirer', {
  cards: {
    approved: '4242424242424242',
    declined: '4000000000009995',
    late: '4000000000000341',
    cut: '4000000000006975',
    unrefundable: '4000000000005126',
    disputed: '4000000000000259',
  },
  start: async () => {
    const database = await sandboxDatabase()
    const receiver = await receiveNotifications()
    const settings = { NOTIFICATION_URL: receiver.url, DISPUTE_DELAY_MS: 200 }
    const sandbox = await runSandbox(database, settings)
    const unreachable = httpAcquirer({ url: 'http://127.0.0.1:1', apiKey: secret(apiKey), findDelaysMs: [0] })
    return {
      acquirer: sandbox.acquirer,
      impatient: sandbox.impatient,
      unreachable,
      settleLate: () => settleSlowCharges(database),
      payVoucher: sandbox.controls.payVoucher,
      received: () => receiver.received,
      stop: async () => {
        await unreachable.close()
        await sandbox.stop()
        await receiver.close()
        await database.drop()
      },
    }
  },
})
