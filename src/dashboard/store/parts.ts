import { Component, type ComponentType, type JSX } from 'preact'

/** Names of what changed in the page's state since the page was drawn; empty text for something outside the state. */
export const changed = new Set<string>()

/** What changes many times a second. */
type Served = 'entries' | 'snapshot' | 'now'
const served: ReadonlySet<string> = new Set<Served>(['entries', 'snapshot', 'now'])

/** A part of the page that shows only `shows` of these, so that the others don't draw it again. */
export const part = (shows: readonly Served[], Draw: () => JSX.Element | null): ComponentType =>
  class extends Component {
    override shouldComponentUpdate(): boolean {
      return [...changed].some((name) => !served.has(name) || shows.includes(name as Served))
    }

    override render(): JSX.Element | null {
      return Draw()
    }
  }

interface KeptProps {
  /** Tells all that is drawn. */
  readonly shown: string
  draw(): JSX.Element
}

/** A row, which is drawn again only if it shows something else: at a thousand events a second few rows do. */
export class Kept extends Component<KeptProps> {
  override shouldComponentUpdate({ shown }: KeptProps): boolean {
    return shown !== this.props.shown
  }

  override render({ draw }: KeptProps): JSX.Element {
    return draw()
  }
}
