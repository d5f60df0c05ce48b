import { type Emit, eventMessage } from '@cobro/database'

/**
 * An `emit` whose events nothing publishes. What a demo load writes never happened: it must not be in the audit log, and nothing
 * may send webhooks or mails about it.
 */
export const unpublished: Emit = (name, subject, { trace: _trace, ...about } = {}) => eventMessage(name, subject, about)
