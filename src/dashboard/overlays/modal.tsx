import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface ModalProps {
  readonly name: string
  readonly class?: string
  readonly children: ComponentChildren
  onClose(): void
}

/** A dialog that is open for as long as it is there. Esc and a click beside it close it. */
export function Modal({ name, class: className = '', children, onClose }: ModalProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current!.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={`modal ${className}`}
      aria-label={name}
      onClose={onClose}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="modal-body">{children}</div>
    </dialog>
  )
}
