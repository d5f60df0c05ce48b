import type { MailContent } from './mail-content.ts'
import type { MailData, MailKind, MailLanguage } from './mail-kinds.ts'
import { englishMails } from './mail-texts-en.ts'
import { spanishMails } from './mail-texts-es.ts'

const texts = { es: spanishMails, en: englishMails }

/** Returns the content of a mail in a language. `link` is that of kinds with a single-use token. */
export function mailText<K extends MailKind>(
  { kind, data, language }: { kind: K; data: MailData[K]; language: MailLanguage },
  link: string,
): MailContent {
  return texts[language][kind](data, link)
}
