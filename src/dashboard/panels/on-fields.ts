type Fields = Readonly<Record<string, string>>

/** Hands a form's fields on when it is sent, without those that are empty. The page stays where it is. */
export function onFields(use: (fields: Fields, form: HTMLFormElement) => void): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    use(fieldsOf(form), form)
  }
}

export function fieldsOf(form: HTMLFormElement): Fields {
  const fields: Record<string, string> = {}
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && value.trim() !== '') fields[name] = value.trim()
  }
  return fields
}

/** Gives the focus to what has just come. Stays the same function, so that it does so once. */
export const focusNow = (element: HTMLElement | null): void => element?.focus()

/** Gives the focus back to the button that has opened a form. */
export const focusOpener = (form: HTMLElement): void =>
  form.closest('li, section')?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
