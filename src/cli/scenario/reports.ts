export { jsonReport } from './json-report.js'
export { junitReport } from './junit-report.js'
export { tapReport } from './tap-report.js'
export { failureLines, scenarioLine, stepLine, textReport, totalLine } from './text-report.js'
