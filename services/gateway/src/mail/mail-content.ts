import type { MailData, MailKind } from './mail-kinds.ts'

/** The content of a mail as plain texts, which are escaped where HTML needs it. */
export interface MailContent {
  subject: string
  paragraphs: string[]
  /** Labels and values, shown as a list. */
  facts?: [label: string, value: string][]
  link?: { label: string; url: string }
}

/** The texts of all mails in a language. `link` is that of kinds with a single-use token. */
export type MailTexts = { [K in MailKind]: (data: MailData[K], link: string) => MailContent }

/** A label with a value, or nothing without one. */
export const fact = (label: string, value: string | null | false): [string, string][] => (value ? [[label, value]] : [])
