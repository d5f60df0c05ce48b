import type { Texts } from './locale.tsx'

/** The texts of forms that change an object. */
interface EditTexts {
  edit: string
  save: string
  failed: string
  metadata: string
  invalidJson: string
}

const es: EditTexts = {
  edit: 'Editar',
  save: 'Guardar cambios',
  failed: 'No se guardó.',
  metadata: 'Datos propios (JSON)',
  invalidJson: 'Escribe un objeto JSON, como {"mesa": 4}, o nada.',
}

const en: EditTexts = {
  edit: 'Edit',
  save: 'Save changes',
  failed: 'It was not saved.',
  metadata: 'Metadata (JSON)',
  invalidJson: 'Enter a JSON object such as {"table": 4}, or nothing.',
}

export const editTexts: Texts<EditTexts> = { es, en }
