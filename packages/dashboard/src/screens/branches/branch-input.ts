import type { Sucursal, Terminal } from '@cobro/sdk/admin'

/** What a form has of a branch: texts, empty for what is unknown. */
export type BranchDraft = Record<'name' | 'street' | 'city' | 'state' | 'postal_code' | 'phone', string> &
  Pick<Sucursal, 'status'>

/** Returns what a form shows of a branch, or of a new one. */
export function branchDraft(branch?: Sucursal): BranchDraft {
  const { street, city, state, postal_code } = branch?.address ?? {}
  return {
    ...{ name: branch?.name ?? '', phone: branch?.phone ?? '', status: branch?.status ?? 'active' },
    ...{ street: street ?? '', city: city ?? '', state: state ?? '', postal_code: postal_code ?? '' },
  }
}

/** Returns what to send for a form. What the address has besides the form's fields stays. */
export function branchInput({ name, phone, status, ...fields }: BranchDraft, branch?: Sucursal) {
  const known = Object.entries(fields).map(([field, text]) => [field, orNull(text)])
  const address = { ...branch?.address, ...Object.fromEntries(known) }
  const isEmpty = Object.values(address).every(value => value === null)
  return { name: name.trim(), phone: orNull(phone), status, address: isEmpty ? null : address }
}

/** What a form has of a terminal; no text as `sucursal_id` for no branch. */
export type TerminalDraft = Record<'name' | 'serial' | 'model' | 'sucursal_id', string> & Pick<Terminal, 'status'>

/** Returns what a form shows of a terminal, or of a new one. */
export function terminalDraft(terminal?: Terminal): TerminalDraft {
  const { name = '', serial = '', model, sucursal_id, status = 'active' } = terminal ?? {}
  return { name, serial, model: model ?? '', sucursal_id: sucursal_id ?? '', status }
}

/** Returns what to send for a form. */
export function terminalInput({ name, serial, model, sucursal_id, status }: TerminalDraft) {
  return {
    ...{ name: name.trim(), serial: serial.trim(), status },
    ...{ model: orNull(model), sucursal_id: orNull(sucursal_id) },
  }
}

const orNull = (text: string) => text.trim() || null
