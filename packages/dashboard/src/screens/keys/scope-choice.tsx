import type { KeyScope, KeyScopes } from '@cobro/sdk/admin'
import { allScopes, byGroup, verbOf } from '../../input/key-scopes.ts'
import { CheckBoxes } from '../../parts/check-boxes.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'

/** How much a new key may do: everything that keys may, read, or what is chosen. */
export interface Access {
  kind: 'all' | 'read' | 'chosen'
  chosen: readonly KeyScope[]
}

const isEverything = (given: readonly KeyScope[]) => given.length === allScopes.length

/** Returns the access that a form begins with, from the scopes that its user can give: a developer cannot give all. */
export const firstAccess = (given: readonly KeyScope[]): Access => ({
  kind: isEverything(given) ? 'all' : 'read',
  chosen: [],
})

/** Returns the scopes of an access for the API. */
export function scopesOf({ kind, chosen }: Access, given: readonly KeyScope[]): KeyScopes {
  if (kind === 'all') return null
  return kind === 'read' ? given.filter(scope => verbOf(scope) === 'read') : [...chosen]
}

interface ScopeChoiceProps {
  /** The scopes to choose from. */
  given: readonly KeyScope[]
  access: Access
  isDisabled: boolean
  choose: (access: Access) => void
}

export function ScopeChoice({ given, access, isDisabled, choose }: ScopeChoiceProps) {
  const texts = useTexts(keysTexts)
  const { all, ...limited } = texts.accesses
  const { kind, chosen } = access
  return (
    <>
      <SelectField<Access['kind']>
        label={texts.access}
        words={isEverything(given) ? texts.accesses : (limited as typeof texts.accesses)}
        value={kind}
        isDisabled={isDisabled}
        choose={next => choose({ kind: next, chosen })}
      />
      {kind === 'chosen' && (
        <>
          <p>{texts.scopesHint}</p>
          {byGroup(given).map(([group, scopes], at) => (
            <CheckBoxes
              key={group}
              label={texts.groups[group]}
              values={scopes}
              wordOf={scope => texts.verbs[verbOf(scope)]}
              chosen={chosen}
              isDisabled={isDisabled}
              choose={next => choose({ kind, chosen: next })}
              problem={at === 0 && chosen.length === 0 && texts.noScopes}
            />
          ))}
        </>
      )}
    </>
  )
}
