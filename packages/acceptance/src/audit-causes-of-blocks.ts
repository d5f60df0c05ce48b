import { type AuditWorld, type Causes, type Deed, type Lifecycle, within } from './audit-world.ts'

const maxDeclines = 10

/** Triggers the actions of rules against card testing. */
export function causesOfBlocks({ open, pay, by }: AuditWorld): Causes {
  /** Declines cards on a link until it is blocked. Returns it with the last payment. */
  const blocked = async (): Promise<{ payable: Lifecycle; deed: Deed }> => {
    const { payable } = await open('links')
    const declines: Deed[] = []
    while (declines.length < maxDeclines) declines.push((await pay(payable, '4000000000000002')).deed)
    return { payable, deed: declines.at(-1) as Deed }
  }
  return {
    'payment.blocked': [
      async () => {
        const { payable, deed } = await blocked()
        const metadata = { rule: 'payable_declines', max_attempts: maxDeclines, window_seconds: 900 }
        return deed.did(payable.id, { ...within(payable), more: { metadata: expect.objectContaining(metadata) } })
      },
    ],
    'payment.unblocked': [
      async () => {
        const { payable } = await blocked()
        const { body } = await by('operator', 'GET', `/api/payment-blocks?payable_id=${payable.id}`)
        const [{ id }] = body.data
        const deed = await by('operator', 'POST', `/api/payment-blocks/${id}/lift`)
        const metadata = { rule: 'payable_declines', block_id: id }
        return deed.did(payable.id, { ...within(payable), more: { metadata: expect.objectContaining(metadata) } })
      },
    ],
  }
}
