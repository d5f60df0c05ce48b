import type { Sucursal } from '@cobro/sdk/admin'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { TextFields } from '../../parts/text-fields.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { type BranchDraft, branchDraft, branchInput } from './branch-input.ts'

interface BranchFormProps {
  /** The branch to edit; none for a new one. */
  branch?: Sucursal
  scope: string
  close: () => void
}

/** How long each text may be. */
const lengths = { name: 100, street: 200, city: 100, state: 100, postal_code: 12, phone: 30 } as const

/** Creates a branch and leads to it, or changes one. */
export function BranchForm({ branch, scope, close }: BranchFormProps) {
  const texts = useTexts(branchesTexts)
  const [draft, setDraft] = useState(() => branchDraft(branch))
  const save = useSave(draft, { branch, scope, close })
  const submit = branch ? texts.save(branch.name) : texts.create
  return (
    <ConfirmedForm
      texts={{ title: branch?.name ?? texts.newBranch, submit, failed: texts.failed }}
      work={save}
      close={close}
      merchantId={branch?.merchant_id}
    >
      {isUnclear => (
        <>
          <TextFields
            lengths={lengths}
            labels={texts.names}
            required={['name']}
            isDisabled={isUnclear}
            values={draft}
            change={values => setDraft({ ...draft, ...values })}
          />
          <SelectField
            label={texts.status}
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

function useSave(
  draft: BranchDraft,
  { branch, scope, close }: Omit<BranchFormProps, 'branch'> & { branch: Sucursal | undefined },
) {
  const navigate = useNavigate()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  return async () => {
    const { sucursales } = cobroOf(scope)
    const input = branchInput(draft, branch)
    const changed = ['branches', 'branch'].map(name => [scope, name])
    const { id } = await changing(changed, () =>
      branch ? sucursales.update(branch.id, input) : sucursales.create(input, { idempotencyKey }),
    )
    close()
    if (!branch) await navigate({ to: '/$scope/branches/$id', params: { scope, id } })
  }
}
