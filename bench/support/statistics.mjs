/** The middle value; of an even number, the mean of the two in the middle. */
export const median = (values) => quantile(values, 0.5)

export function quantile(values, fraction) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * fraction
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at % 1)
}

export const round = (value, digits = 2) => Number(value.toFixed(digits))
