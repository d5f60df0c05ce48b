import type { Terminal } from '@cobro/sdk/admin'
import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { TextFields } from '../../parts/text-fields.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { type TerminalDraft, terminalDraft, terminalInput } from './branch-input.ts'
import { useBranches } from './use-branches.ts'

interface TerminalFormProps {
  /** The terminal to edit; none for a new one. */
  terminal?: Terminal
  scope: string
  close: () => void
}

/** How long each text may be. */
const lengths = { name: 100, serial: 64, model: 64 } as const

/** Creates a terminal, or changes one. */
export function TerminalForm({ terminal, scope, close }: TerminalFormProps) {
  const { terminals: texts, ...shared } = useTexts(branchesTexts)
  const [draft, setDraft] = useState(() => terminalDraft(terminal))
  const branches = useBranches(scope)
  const save = useSave(draft, { terminal, scope, close })
  const submit = terminal ? shared.save(terminal.name) : texts.create
  const own = branches?.filter(({ merchant_id }) => !terminal || merchant_id === terminal.merchant_id) ?? []
  const names = own.map(({ id, name }) => [id, name])
  // A branch that is not among those that were read stays chosen.
  const known = draft.sucursal_id === '' ? [] : [[draft.sucursal_id, draft.sucursal_id]]
  return (
    <ConfirmedForm
      texts={{ title: terminal?.name ?? texts.newTerminal, submit, failed: shared.failed }}
      work={save}
      close={close}
      merchantId={terminal?.merchant_id}
    >
      {isUnclear => (
        <>
          <TextFields
            lengths={lengths}
            labels={texts.names}
            required={['name', 'serial']}
            isDisabled={isUnclear}
            values={draft}
            change={values => setDraft({ ...draft, ...values })}
          />
          <SelectField
            label={texts.branch}
            words={{ '': texts.noBranch, ...Object.fromEntries([...known, ...names]) }}
            isDisabled={isUnclear}
            value={draft.sucursal_id}
            choose={sucursal_id => setDraft({ ...draft, sucursal_id })}
          />
          <SelectField
            label={shared.status}
            words={texts.statuses}
            isDisabled={isUnclear}
            value={draft.status}
            choose={status => setDraft({ ...draft, status })}
          />
        </>
      )}
    </ConfirmedForm>
  )
}

type Save = Omit<TerminalFormProps, 'terminal'> & { terminal: Terminal | undefined }

function useSave(draft: TerminalDraft, { terminal, scope, close }: Save) {
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  return async () => {
    const { terminales } = cobroOf(scope)
    const input = terminalInput(draft)
    await changing([[scope, 'terminals']], () =>
      terminal ? terminales.update(terminal.id, input) : terminales.create(input, { idempotencyKey }),
    )
    close()
  }
}
