import type { JSX } from 'preact'

interface AmountProps {
  readonly name: string
  readonly count: string | number
  readonly capacity: string
}

/** How much of a capacity is used. */
export const Amount = ({ name, count, capacity }: AmountProps): JSX.Element => (
  <div class="count-head">
    <span class="part-name">{name}</span>
    <meter class="part-meter" aria-label={name} min={0} max={Number(capacity) || 1} value={Number(count)} />
    <span class="count-value">{`${count} / ${capacity}`}</span>
  </div>
)
