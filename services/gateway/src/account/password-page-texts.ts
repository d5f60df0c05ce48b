import type { MailLanguage } from '../mail/mail-kinds.ts'

/** The texts of the page on which a user chooses a password. */
export interface PasswordPageTexts {
  title: string
  intro: string
  password: string
  show: string
  submit: string
  noScript: string
  /** What the page says instead of the form. */
  done: string
  lapsed: string
  incomplete: string
  /** What it says below the form, to try again. */
  short: string
  weak: string
  limited: string
  failed: string
}

export const passwordPageTexts: Record<MailLanguage, PasswordPageTexts> = {
  es: {
    title: 'Elige tu contraseña',
    intro: 'Al menos 12 caracteres. Una frase que solo tú conoces es más segura que una palabra con símbolos.',
    password: 'Contraseña nueva',
    show: 'Mostrar contraseña',
    submit: 'Guardar contraseña',
    noScript: 'Esta página necesita JavaScript.',
    done: 'Tu contraseña se guardó. Ya puedes iniciar sesión. Tus sesiones anteriores terminaron.',
    lapsed: 'Este enlace ya se usó o venció. Pide otro para elegir tu contraseña.',
    incomplete: 'Falta una parte del enlace. Ábrelo de nuevo desde el correo.',
    short: 'Usa al menos 12 caracteres.',
    weak: 'Esta contraseña es fácil de adivinar. Elige una menos común y sin tu correo.',
    limited: 'Hubo demasiados intentos. Espera 15 minutos e intenta de nuevo.',
    failed: 'No se pudo guardar. Revisa tu conexión e intenta de nuevo.',
  },
  en: {
    title: 'Choose your password',
    intro: 'At least 12 characters. A phrase that only you know is safer than a word with symbols.',
    password: 'New password',
    show: 'Show password',
    submit: 'Save password',
    noScript: 'This page needs JavaScript.',
    done: 'Your password was saved. You can log in now. Your earlier logins have ended.',
    lapsed: 'This link was used before or has expired. Ask for another one to choose your password.',
    incomplete: 'Part of the link is missing. Open it again from the mail.',
    short: 'Use at least 12 characters.',
    weak: 'This password is easy to guess. Choose one that is less common and does not contain your e-mail address.',
    limited: 'There were too many attempts. Wait 15 minutes and try again.',
    failed: 'It could not be saved. Check your connection and try again.',
  },
}
