import type { Texts } from './locale.tsx'

interface AccountTexts {
  title: string
  email: string
  access: string
  language: string
  languages: { es: string; en: string }
}

const es: AccountTexts = {
  title: 'Cuenta',
  email: 'Correo',
  access: 'Acceso',
  language: 'Idioma',
  languages: { es: 'Español', en: 'English' },
}

const en: AccountTexts = {
  title: 'Account',
  email: 'E-mail',
  access: 'Access',
  language: 'Language',
  languages: { es: 'Español', en: 'English' },
}

export const accountTexts: Texts<AccountTexts> = { es, en }
