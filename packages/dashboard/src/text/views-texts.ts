import type { Texts } from './locale.tsx'

/** The texts of saved views, which all lists share. */
interface ViewsTexts {
  views: string
  all: string
  save: string
  title: string
  name: string
  taken: string
  remove: (name: string) => string
}

const es: ViewsTexts = {
  views: 'Vistas guardadas',
  all: 'Todo',
  save: 'Guardar vista',
  title: 'Guardar los filtros como vista',
  name: 'Nombre',
  taken: 'Ya tienes una vista con este nombre.',
  remove: name => `Borrar la vista ${name}`,
}

const en: ViewsTexts = {
  views: 'Saved views',
  all: 'All',
  save: 'Save view',
  title: 'Save the filters as a view',
  name: 'Name',
  taken: 'You have a view with this name.',
  remove: name => `Delete the view ${name}`,
}

export const viewsTexts: Texts<ViewsTexts> = { es, en }
