// Generated from the files of this folder by npm run generate. Do not edit.
import { auditEvents } from './0001-audit-events.ts'
import { tamperEvidence } from './0002-tamper-evidence.ts'
import { listsOfMillions } from './0003-lists-of-millions.ts'
import { quietDrops } from './0004-quiet-drops.ts'
import { freeCounts } from './0005-free-counts.ts'
import { eventsForOperators } from './0006-events-for-operators.ts'

/** The history of the schema, oldest first. */
export const migrations = [auditEvents, tamperEvidence, listsOfMillions, quietDrops, freeCounts, eventsForOperators]
