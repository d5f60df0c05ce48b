import { waitFor } from '@cobro/testing'
import { type AuditWorld, acquirer, type Causes, type Lifecycle, ofMoney, system, within } from './audit-world.ts'

const visa = { brand: 'visa', last4: '4242' }
/** The shortest lifetime of a session or link, in seconds. */
const soon = { expires_in: 1 }

/** Triggers the actions of sessions, links and payments. */
export function causesOfPayments(world: AuditWorld): Causes {
  return {
    ...ofSessions(world),
    ...ofLinks(world),
    ...ofPages(world),
    ...ofPayments(world),
    ...ofRefunds(world),
    ...ofTransactions(world),
  }
}

function ofSessions({ by, open, look, pay }: AuditWorld): Causes {
  const sessions = '/api/checkout-sessions'
  return {
    'checkout_session.created': [
      async () => {
        const { deed, payable } = await open('sessions')
        return deed.did(payable.id, ofMoney(payable))
      },
      async () => {
        const { body, did } = await by('operator', 'POST', sessions, {
          amount_total: 25_000,
          return_url: 'https://shop.mx',
        })
        return did(body.data.id, ofMoney(body.data))
      },
    ],
    'checkout_session.viewed': [
      async () => {
        const { payable } = await open('sessions')
        return (await look(payable)).did(payable.id, within(payable))
      },
    ],
    'checkout_session.updated': [
      async () => {
        const { payable } = await open('sessions')
        const deed = await by('operator', 'PUT', `${sessions}/${payable.id}`, { external_id: 'A-7' })
        return deed.did(payable.id, within(payable))
      },
    ],
    'checkout_session.cancelled': [
      async () => {
        const { payable } = await open('sessions')
        return (await by('client', 'DELETE', `${sessions}/${payable.id}`)).did(payable.id, within(payable))
      },
    ],
    'checkout_session.expired': [
      async () => {
        const { deed, payable } = await open('sessions', soon)
        return deed.did(payable.id, { ...within(payable), ...system })
      },
    ],
    'checkout_session.completed': [
      async () => {
        const { payable } = await open('sessions')
        return (await pay(payable)).deed.did(payable.id, ofMoney(payable))
      },
      async () => {
        const { deed, payable } = await open('sessions', soon)
        return deed.did(payable.id, { ...ofMoney(payable, { status: 'expired' }), ...system })
      },
      async () => {
        const { payable } = await open('sessions')
        const deed = await by('payer', 'POST', `/hosted/v1/checkout/${payable.id}/cancel`)
        return deed.did(payable.id, ofMoney(payable, { status: 'cancelled' }))
      },
    ],
  }
}

function ofPages({ stack, open }: AuditWorld): Causes {
  return {
    'hosted_page.csp_violated': [
      async () => {
        const { id } = (await open('sessions')).payable
        const { base_url, hosted_url } = stack.stack
        const page = `${hosted_url}/checkout/${id}`
        const violation = { documentURL: page, blockedURL: 'https://evil.example/?n=1', effectiveDirective: 'img-src' }
        const { headers } = await fetch(`${base_url}/hosted/v1/csp-reports`, {
          method: 'POST',
          headers: { 'content-type': 'application/reports+json' },
          body: JSON.stringify([{ type: 'csp-violation', body: violation }]),
        })
        return {
          target_id: id,
          actor: { type: 'payer', id: null },
          request_id: headers.get('x-request-id'),
          correlation_id: null,
          merchant_id: null,
          more: { metadata: { directive: 'img-src', blocked_origin: 'https://evil.example' } },
        }
      },
    ],
  }
}

function ofLinks({ by, open, look, pay }: AuditWorld): Causes {
  return {
    'payment_link.created': [
      async () => {
        const { deed, payable } = await open('links')
        return deed.did(payable.id, ofMoney(payable))
      },
    ],
    'payment_link.viewed': [
      async () => {
        const { payable } = await open('links')
        return (await look(payable)).did(payable.id, within(payable))
      },
    ],
    'payment_link.updated': [
      async () => {
        const { payable } = await open('links')
        const deed = await by('client', 'PUT', `/api/payment-links/${payable.id}`, { concepto: 'Taller' })
        return deed.did(payable.id, within(payable))
      },
    ],
    'payment_link.cancelled': [
      async () => {
        const { payable } = await open('links')
        return (await by('key', 'POST', `/checkout/v1/links/${payable.id}/cancel`)).did(payable.id, within(payable))
      },
    ],
    'payment_link.expired': [
      async () => {
        const { deed, payable } = await open('links', soon)
        return deed.did(payable.id, { ...within(payable), ...system })
      },
    ],
    'payment_link.paid': [
      async () => {
        const { payable } = await open('links')
        return (await pay(payable)).deed.did(payable.id, ofMoney(payable))
      },
    ],
  }
}

function ofPayments({ stack, by, call, open, pay, paid, askVoucher, enter }: AuditWorld): Causes {
  /** Pays a session and expects the record of its transaction. */
  const comesTo = (card: string, metadata: object) => async () => {
    const { payable } = await open('sessions')
    const { deed, transaction } = await pay(payable, card)
    return deed.did(transaction, ofMoney(payable, metadata))
  }
  const voucher = async () => {
    const { payable } = await open('links', { payment_method_types: ['cash'] })
    return { payable, ...(await askVoucher(payable)) }
  }
  return {
    'payment.attempted': [
      async () => {
        const { payable } = await open('sessions')
        return (await pay(payable)).deed.did(payable.id, ofMoney(payable, { ...visa, attempt: 1 }))
      },
    ],
    'payment.approved': [
      comesTo('4242424242424242', visa),
      async () => {
        const { payable, transaction, reference, deed } = await voucher()
        await by('operator', 'POST', `/api/sandbox/vouchers/${reference}/pay`)
        return deed.did(transaction, { ...ofMoney(payable), ...acquirer })
      },
      async () => {
        const { deed, sale } = await enter()
        return deed.did(sale.id, ofMoney(sale))
      },
    ],
    'payment.declined': [
      comesTo('4000000000009995', { brand: 'visa', last4: '9995', decline_reason: 'insufficient_funds' }),
    ],
    'payment.failed': [
      comesTo('4000000000000119', { brand: 'visa', last4: '0119' }),
      async () => {
        const { deed, payable } = await open('links', soon)
        return deed.did(payable.id, { ...ofMoney(payable), ...system })
      },
    ],
    'payment.pending': [
      async () => {
        const { payable, transaction, deed } = await voucher()
        return deed.did(transaction, ofMoney(payable))
      },
    ],
    'payment.expired': [
      async () => {
        const { deed, payable } = await open('sessions', soon)
        return deed.did(payable.id, { ...ofMoney(payable), ...system })
      },
    ],
    'payment.cancelled': [
      async () => {
        const { payable } = await open('sessions')
        const deed = await by('key', 'POST', `/checkout/v1/sessions/${payable.id}/cancel`)
        return deed.did(payable.id, ofMoney(payable))
      },
      async () => {
        const { sale } = await enter({ status: 'pending' })
        const deed = await by('operator', 'PUT', `/api/transactions/${sale.id}`, { status: 'cancelled' })
        return deed.did(sale.id, ofMoney(sale))
      },
    ],
    'payment.chargeback': [
      async () => {
        const payment = await paid()
        const deed = await by('operator', 'POST', '/api/disputes', {
          transaction_id: payment.transaction,
          reason: 'fraud',
        })
        return deed.did(payment.transaction, ofMoney(payment, visa))
      },
    ],
    'payment.duplicate': [
      async () => {
        const { payable } = await open('sessions')
        await pay(payable)
        const again = { method: 'card', card_jwe: 'never decrypted' }
        const deed = await call('payer', 'POST', `/hosted/v1/checkout/${payable.id}/payments`, again)
        expect(deed.status).toBe(409)
        return deed.did(payable.id, ofMoney(payable))
      },
      async () => {
        const { payable, transaction, reference, deed } = await voucher()
        await by('key', 'POST', `/checkout/v1/links/${payable.id}/cancel`)
        // If it were paid earlier, our own clock would learn of it while withdrawing the voucher.
        await withdrawn(stack, reference)
        await by('operator', 'POST', `/api/sandbox/vouchers/${reference}/pay`)
        return deed.did(await lateMoney(by, payable, transaction), { ...ofMoney(payable), ...acquirer })
      },
    ],
  }
}

const withdrawn = ({ query }: AuditWorld['stack'], reference: string) =>
  waitFor(async () => {
    const [row] = await query('select status from acquirer_sandbox.vouchers where reference = $1', [reference])
    return row.status === 'withdrawn'
  })

/** Returns the id of the transaction of late cash: not `first`, which is its ended voucher's. */
function lateMoney(by: AuditWorld['by'], { correlation_id }: Lifecycle, first: string): Promise<string> {
  return waitFor(async () => {
    const { body } = await by('key', 'GET', `/api/transactions?correlation_id=${correlation_id}`)
    return body.data.find(({ id }: { id: string }) => id !== first)?.id
  })
}

function ofRefunds({ by, paid, enter, becomes }: AuditWorld): Causes {
  const refunded = async (card?: string) => {
    const payment = await paid(card)
    return { payment, deed: await by('key', 'POST', `/api/transactions/${payment.transaction}/refund`) }
  }
  return {
    'payment.refund_requested': [
      async () => {
        const { payment, deed } = await refunded()
        return deed.did(payment.transaction, ofMoney(payment, visa))
      },
    ],
    'payment.refunded': [
      async () => {
        const { payment, deed } = await refunded()
        await becomes(`/api/transactions/${payment.transaction}`, { status: 'refunded' })
        return deed.did(payment.transaction, { ...ofMoney(payment, visa), ...acquirer })
      },
      async () => {
        const { sale } = await enter()
        const deed = await by('client', 'POST', `/api/transactions/${sale.id}/refund`)
        return deed.did(sale.id, ofMoney(sale))
      },
    ],
    'payment.refund_failed': [
      async () => {
        const { payment, deed } = await refunded('4000000000005126')
        await becomes(`/api/transactions/${payment.transaction}`, { refund_status: 'failed' })
        return deed.did(payment.transaction, { ...ofMoney(payment), ...acquirer })
      },
    ],
  }
}

function ofTransactions({ by, enter }: AuditWorld): Causes {
  return {
    'transaction.updated': [
      async () => {
        const { sale } = await enter()
        const deed = await by('key', 'PUT', `/api/transactions/${sale.id}`, { reference: 'A-8' })
        return deed.did(sale.id, within(sale))
      },
    ],
    'transaction.deleted': [
      async () => {
        const { sale } = await enter()
        return (await by('operator', 'DELETE', `/api/transactions/${sale.id}`)).did(sale.id, within(sale))
      },
    ],
  }
}
