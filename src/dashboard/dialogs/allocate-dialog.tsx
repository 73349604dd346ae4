import { useComputed, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { keep, readKept } from '../common/storage.js'
import { Modal } from '../overlays/modal.js'
import { CopyButton } from '../panels/copy-button.js'
import { fieldsOf } from '../panels/on-fields.js'
import { writeYaml } from '../panels/write-yaml.js'
import type { Store } from '../store/store.js'
import type { Ui } from '../ui/ui.js'
import './allocate.css'
import { AllocateFields } from './allocate-fields.js'
import { allocationOf } from './allocation.js'

type Fields = Readonly<Record<string, string>>

const KEPT = 'allocation'

/** Allocates the game server as the cluster does, by the manifest that the fields make. */
export function AllocateDialog({ store, ui }: { store: Store; ui: Ui }): JSX.Element | null {
  if (ui.dialog.value !== 'allocate') return null
  const close = (): void => void (ui.dialog.value = undefined)
  return (
    <Modal name="Allocate" class="allocate" onClose={close}>
      <AllocateForm store={store} ui={ui} close={close} />
    </Modal>
  )
}

function AllocateForm({ store, ui, close }: { store: Store; ui: Ui; close: () => void }): JSX.Element {
  const form = useRef<HTMLFormElement>(null)
  const fields = useSignal(keptFields())
  const answer = useSignal('')
  const platform = useComputed(() => store.snapshot.value?.platform ?? 'agones')
  const manifest = useComputed(() => written(fields.value, platform.value))
  const send = async (): Promise<void> => {
    const { problem, allocation } = manifest.value
    if (!allocation) return void (answer.value = problem)
    keep('local', KEPT, JSON.stringify(fields.value))
    ui.lastAllocation.value = allocation
    const result = await store.allocate(allocation)
    if (!result.ok) answer.value = result.message
    else if (result.state === 'Allocated') {
      store.announce('Allocated')
      close()
    } else answer.value = `UnAllocated: ${result.reason ?? 'nothing matches'}`
  }
  return (
    <form
      ref={form}
      onInput={() => {
        fields.value = fieldsOf(form.current!)
        answer.value = ''
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <div class="help-head">
        <h2>Allocate</h2>
        <button type="button" class="button button-icon" aria-label="Close" onClick={close}>
          ×
        </button>
      </div>
      <AllocateFields snapshot={store.snapshot.value} kept={fields.peek()} />
      <details class="allocate-manifest">
        <summary>Manifest</summary>
        <pre class="mono" tabIndex={0}>
          {manifest.value.text}
        </pre>
      </details>
      <p class="part-problem" role="alert">
        {answer.value || manifest.value.problem}
      </p>
      <div class="allocate-foot">
        <CopyButton
          store={store}
          label="Copy manifest"
          text={() => manifest.peek().text}
          told="The manifest is copied"
        />
        <button
          type="button"
          class="button"
          onClick={() => {
            for (const element of form.current!.elements) {
              if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.value = ''
              else if (element instanceof HTMLSelectElement) element.selectedIndex = 0
            }
            fields.value = {}
          }}
        >
          Empty
        </button>
        <button class="button button-primary">
          Allocate <kbd>Enter</kbd>
        </button>
      </div>
    </form>
  )
}

interface Written {
  readonly allocation?: object
  readonly text: string
  readonly problem: string
}

function written(fields: Fields, platform: string): Written {
  try {
    const allocation = allocationOf(fields, platform)
    return { allocation, text: writeYaml(allocation), problem: '' }
  } catch (error) {
    return { text: '', problem: error instanceof Error ? error.message : String(error) }
  }
}

function keptFields(): Fields {
  const kept = readKept('local', KEPT)
  return kept === undefined ? {} : (JSON.parse(kept) as Fields)
}
