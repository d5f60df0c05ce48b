/** The expected traces of each lifecycle, as `tracesOf` renders them. */
// A session is opened: the deliveries to its merchant's endpoint and to the audit log are in one trace.
const created = `\
gateway POST /checkout/v1/sessions ~ audit-log store audit events
  gateway asks POST /checkout/v1/sessions
    checkout POST /checkout/v1/sessions
      checkout publish checkout_session.created
        audit-log process checkout_session.created ~ store audit events
        webhooks-dispatcher process checkout_session.created ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST`

// The payer opens the page.
const shown = `\
gateway GET /hosted/v1/checkout/:id ~ audit-log store audit events
  gateway asks GET /hosted/v1/checkout/:id
    checkout GET /hosted/v1/checkout/:id
      checkout publish checkout_session.viewed
        audit-log process checkout_session.viewed ~ store audit events`

// A card is approved. The outcome comes back as the reply that the payer waits for, and as an event.
const approved = `\
gateway POST /hosted/v1/checkout/:id/payments ~ audit-log store audit events
  gateway asks POST /hosted/v1/checkout/:id/payments
    checkout POST /hosted/v1/checkout/:id/payments
      checkout asks POST /v1/tokens
      checkout publish checkout_session.completed
        audit-log process checkout_session.completed ~ store audit events
        webhooks-dispatcher process checkout_session.completed ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST
      checkout publish payment.attempted
        audit-log process payment.attempted ~ store audit events
      checkout publish payment.charge
        transactions process payment.charge
          transactions asks POST /v1/charges
          transactions publish payment.approved
            audit-log process payment.approved ~ store audit events
            gateway process payment.approved
            webhooks-dispatcher process payment.approved ~ audit-log store audit events ~ fan out events ~ record attempts
              webhooks-dispatcher asks POST
          transactions publish payment_attempt.settled
            audit-log process payment_attempt.settled
            checkout process payment_attempt.settled
          transactions publish reply
            checkout process reply`

const declined = `\
gateway POST /hosted/v1/checkout/:id/payments ~ audit-log store audit events
  gateway asks POST /hosted/v1/checkout/:id/payments
    checkout POST /hosted/v1/checkout/:id/payments
      checkout asks POST /v1/tokens
      checkout publish payment.attempted
        audit-log process payment.attempted ~ store audit events
      checkout publish payment.charge
        transactions process payment.charge
          transactions asks POST /v1/charges
          transactions publish payment.declined
            audit-log process payment.declined ~ store audit events
            webhooks-dispatcher process payment.declined ~ audit-log store audit events ~ fan out events ~ record attempts
              webhooks-dispatcher asks POST
          transactions publish payment_attempt.settled
            audit-log process payment_attempt.settled
            checkout process payment_attempt.settled
          transactions publish reply
            checkout process reply`

// The session expires. That may be days later, so the expiry has its own trace, linked with the one that opened the session.
const expired = `\
gateway POST /checkout/v1/sessions ~ audit-log store audit events
  gateway asks POST /checkout/v1/sessions
    checkout POST /checkout/v1/sessions
      checkout publish checkout_session.created
        audit-log process checkout_session.created ~ store audit events
        webhooks-dispatcher process checkout_session.created ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST
      ~ checkout expire payable
        checkout publish checkout_session.completed
          audit-log process checkout_session.completed ~ store audit events
          webhooks-dispatcher process checkout_session.completed ~ audit-log store audit events ~ fan out events ~ record attempts
            webhooks-dispatcher asks POST
        checkout publish checkout_session.expired
          audit-log process checkout_session.expired ~ store audit events
        checkout publish payment.expired
          audit-log process payment.expired ~ store audit events
          transactions process payment.expired
          webhooks-dispatcher process payment.expired ~ audit-log store audit events ~ fan out events ~ record attempts
            webhooks-dispatcher asks POST
        checkout publish payment.failed
          audit-log process payment.failed ~ store audit events
          webhooks-dispatcher process payment.failed ~ audit-log store audit events ~ fan out events ~ record attempts
            webhooks-dispatcher asks POST`

// A refund is requested, sent to the acquirer, and confirmed by the acquirer's notification, which starts a trace of its own.
const refundAsked = `\
gateway POST /api/transactions/:id/refund ~ audit-log store audit events
  gateway asks POST /api/transactions/:id/refund
    transactions POST /api/transactions/:id/refund
      transactions publish payment.refund_requested
        audit-log process payment.refund_requested ~ store audit events
      ~ transactions check refund
        transactions asks POST /v1/refunds`

const refundEnded = `\
gateway POST /acquirer/v1/notifications ~ audit-log store audit events
  gateway asks POST /acquirer/v1/notifications
    transactions POST /acquirer/v1/notifications
      transactions asks GET /v1/notification-keys
      transactions publish payment.refunded
        audit-log process payment.refunded ~ store audit events
        checkout process payment.refunded
        gateway process payment.refunded
        webhooks-dispatcher process payment.refunded ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST`

// The same with a link.
const linkCreated = `\
gateway POST /checkout/v1/links ~ audit-log store audit events
  gateway asks POST /checkout/v1/links
    checkout POST /checkout/v1/links
      checkout publish payment_link.created
        audit-log process payment_link.created ~ store audit events
        webhooks-dispatcher process payment_link.created ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST`

const linkShown = `\
gateway GET /hosted/v1/links/:id ~ audit-log store audit events
  gateway asks GET /hosted/v1/links/:id
    checkout GET /hosted/v1/links/:id
      checkout publish payment_link.viewed
        audit-log process payment_link.viewed ~ store audit events`

const linkPaid = `\
gateway POST /hosted/v1/links/:id/payments ~ audit-log store audit events
  gateway asks POST /hosted/v1/links/:id/payments
    checkout POST /hosted/v1/links/:id/payments
      checkout asks POST /v1/tokens
      checkout publish payment.attempted
        audit-log process payment.attempted ~ store audit events
      checkout publish payment.charge
        transactions process payment.charge
          transactions asks POST /v1/charges
          transactions publish payment.approved
            audit-log process payment.approved ~ store audit events
            gateway process payment.approved
            webhooks-dispatcher process payment.approved ~ audit-log store audit events ~ fan out events ~ record attempts
              webhooks-dispatcher asks POST
          transactions publish payment_attempt.settled
            audit-log process payment_attempt.settled
            checkout process payment_attempt.settled
          transactions publish reply
            checkout process reply
      checkout publish payment_link.paid
        audit-log process payment_link.paid ~ store audit events
        webhooks-dispatcher process payment_link.paid ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST`

// An endpoint fails twice: each retry has its own trace, linked with that of the event; both look the same.
const retried = `\
gateway POST /checkout/v1/sessions ~ audit-log store audit events
  gateway asks POST /checkout/v1/sessions
    checkout POST /checkout/v1/sessions
      checkout publish checkout_session.created
        audit-log process checkout_session.created ~ store audit events
        webhooks-dispatcher process checkout_session.created ~ audit-log store audit events ~ fan out events ~ record attempts
          webhooks-dispatcher asks POST
          ~ webhooks-dispatcher webhook.retry ~ audit-log store audit events ~ record attempts
            webhooks-dispatcher asks POST`

/** The traces of each journey, sorted by the names of their roots. */
export const journeys = {
  created: [created],
  approved: [shown, created, approved],
  declined: [shown, created, declined],
  expired: [expired],
  refunded: [shown, refundEnded, refundAsked, created, approved],
  link: [linkShown, linkCreated, linkPaid],
  retried: [retried],
}

/**
 * Returns the trace for an event that overtook the reply, as in about one of forty payments.
 * The first to arrive completes the payment and is the parent of what follows.
 */
function byEvent(trace: string, eventLabel: string): string {
  const lines = trace.split('\n')
  const depth = (line = '') => line.search(/\S/)
  const from = lines.findIndex(line => line.trim() === eventLabel)
  const next = lines.findIndex((line, at) => at > from && depth(line) <= depth(lines[from]))
  const moved = lines.splice(from, (next === -1 ? lines.length : next) - from)
  const settled = lines.findIndex(line => line.trim() === 'checkout process payment_attempt.settled')
  const deeper = ' '.repeat(depth(lines[settled]) + 2 - depth(moved[0]))
  return lines.toSpliced(settled + 1, 0, ...moved.map(line => deeper + line)).join('\n')
}

/** Accepted alternatives to a trace of the journeys. */
export const alternativeTraces = new Map([
  [byEvent(approved, 'checkout publish checkout_session.completed'), approved],
  [byEvent(linkPaid, 'checkout publish payment_link.paid'), linkPaid],
])
