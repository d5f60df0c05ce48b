import type { DeclineReason } from '@cobro/contracts'
import type { FieldFault, FieldName } from '../cards/card-checks.ts'
import type { es } from './messages-es.ts'

type Words = typeof es

/** The texts of the page. A language that lacks one does not compile. */
export interface Messages extends Words {
  readonly fields: Record<FieldName, string>
  readonly faults: Record<FieldFault, string>
  readonly declines: Record<DeclineReason, string>
}
