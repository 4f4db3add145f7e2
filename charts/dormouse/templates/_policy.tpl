{{- /* A string literal of CEL. */ -}}
{{- define "dormouse.cel.quoted" -}}
'{{ . | replace "\\" "\\\\" | replace "'" "\\'" }}'
{{- end -}}

{{- /* CEL: whether two maps have the same entries, except for keys that may differ (`free`). */ -}}
{{- define "dormouse.policy.same" -}}
{{ .new }}.all(key, {{ .free }} ||
  (key in {{ .old }} && {{ .new }}[key] == {{ .old }}[key])) &&
{{ .old }}.all(key, {{ .free }} || key in {{ .new }})
{{- end -}}

{{- /* CEL: whether the request is by Dormouse's account. */ -}}
{{- define "dormouse.policy.by" -}}
request.userInfo.username == {{ include "dormouse.username" . | include "dormouse.cel.quoted" }}
{{- end -}}

{{- /* CEL: whether the request is about an entry's resource. */ -}}
{{- define "dormouse.policy.about" -}}
request.resource.resource + '.' + request.resource.group == {{ include "dormouse.cel.quoted" .resource }}
{{- end -}}

{{- /* The path by which an entry's workloads sleep; nothing where an annotation does that. */ -}}
{{- define "dormouse.policy.path" -}}
{{- if .switch }}{{ .switch.path | default "" }}{{ else }}{{ .specReplicasPath | default ".spec.replicas" }}{{ end -}}
{{- end -}}

{{- /* CEL: the value below `in` at the steps of a path, or `or` where one of them is absent. */ -}}
{{- define "dormouse.policy.at" -}}
{{- $step := first .steps | include "dormouse.cel.quoted" -}}
{{- $value := printf "%s[%s]" .in $step -}}
{{- if gt (len .steps) 1 }}{{ $value = include "dormouse.policy.at" (merge (dict "in" $value "steps" (rest .steps)) .) }}{{ end -}}
({{ $step }} in {{ .in }} ? {{ $value }} : {{ .or }})
{{- end -}}

{{- /* The steps of an entry's path below the spec. */ -}}
{{- define "dormouse.policy.steps" -}}
{{ include "dormouse.policy.path" . | trimPrefix ".spec." | splitList "." | toJson }}
{{- end -}}

{{- /* CEL: the count of `spec`, or null: it has none. */ -}}
{{- define "dormouse.policy.count" -}}
{{- $at := dict "in" .spec "or" "null" -}}
{{- $count := merge (dict "steps" (list "replicas")) $at | include "dormouse.policy.at" -}}
{{- range include "dormouse.kinds.entries" .root | fromJsonArray -}}
{{- if not .switch -}}
{{- $value := merge (dict "steps" (include "dormouse.policy.steps" . | fromJsonArray)) $at | include "dormouse.policy.at" -}}
{{- $count = printf "%s ? %s : %s" (include "dormouse.policy.about" .) $value $count -}}
{{- end -}}
{{- end -}}
({{ $count }})
{{- end -}}

{{- /* CEL: whether `metadata` and `spec` say that a workload sleeps, `podSpec` that a DaemonSet does. */ -}}
{{- define "dormouse.policy.sleeps" -}}
{{- $of := . -}}
{{- $sleeps := printf "%s == 0" (include "dormouse.policy.count" .) -}}
{{- range include "dormouse.kinds.entries" .root | fromJsonArray -}}
{{- $kind := . -}}
{{- with .switch -}}
{{- $steps := list "annotations" .annotation -}}
{{- if .path }}{{ $steps = include "dormouse.policy.steps" $kind | fromJsonArray }}{{ end -}}
{{- $value := include "dormouse.policy.at" (dict "in" (ternary $of.spec $of.metadata (hasKey . "path")) "or" "null" "steps" $steps) -}}
{{- $asleep := toString .asleep -}}
{{- if kindIs "string" .asleep }}{{ $asleep = include "dormouse.cel.quoted" .asleep }}{{ end -}}
{{- $sleeps = printf "%s ? %s == %s : %s" (include "dormouse.policy.about" $kind) $value $asleep $sleeps -}}
{{- end -}}
{{- end -}}
(variables.isDaemonSet
  ? has({{ .podSpec }}.nodeSelector) && 'dormouse.dev/snoozed' in {{ .podSpec }}.nodeSelector
  : variables.isCronJob ? has({{ .spec }}.suspend) && {{ .spec }}.suspend : {{ $sleeps }})
{{- end -}}

{{- /* CEL: the field of the spec that holds the count or the switch, for a configured kind the first of its path. */ -}}
{{- define "dormouse.policy.counts" -}}
{{- $fields := "'replicas'" -}}
{{- range include "dormouse.kinds.entries" . | fromJsonArray -}}
{{- $names := splitList "." (include "dormouse.policy.path" .) -}}
{{- $first := "" -}}{{- if gt (len $names) 2 -}}{{- $first = index $names 2 -}}{{- end -}}
{{- $fields = printf "%s ? '%s' : %s" (include "dormouse.policy.about" .) $first $fields -}}
{{- end -}}
({{ $fields }})
{{- end -}}

{{- /* CEL: the annotation that a write may change beside ours: the API server's own of a DaemonSet, and a configured kind's switch. */ -}}
{{- define "dormouse.policy.annotation" -}}
{{- $names := "request.resource.resource == 'daemonsets' ? 'deprecated.daemonset.template.generation' : ''" -}}
{{- range include "dormouse.kinds.entries" . | fromJsonArray -}}
{{- $switch := .switch | default dict -}}
{{- if $switch.annotation -}}
{{- $names = printf "%s ? %s : %s" (include "dormouse.policy.about" .) (include "dormouse.cel.quoted" .switch.annotation) $names -}}
{{- end -}}
{{- end -}}
({{ $names }})
{{- end -}}

{{- /* The changes of a workload that Dormouse may make. */ -}}
{{- define "dormouse.policy.rules" -}}
- expression: >-
    request.operation == 'UPDATE' && (!has(request.subResource) || request.subResource == '' ||
    (variables.isCronJob && request.subResource == 'status'))
  message: 'Dormouse may only update workloads, and by no subresource but the status of CronJobs'
- expression: {{ printf "!(request.namespace in %s)" (include "dormouse.excluded" . | replace "\"" "'") | quote }}
  message: 'Dormouse may not change excluded namespaces: excludeNamespaces, its own, and those of Kubernetes'
- expression: >-
    ['annotations', 'labels'].all(field,
      {{- include "dormouse.policy.same" (dict "new" "(field in variables.after ? variables.after[field] : dyn({}))" "old" "(field in variables.before ? variables.before[field] : dyn({}))" "free" "key.startsWith('dormouse.dev/') || key == variables.counted") | nindent 6 }})
  message: 'Dormouse may change annotations and labels below dormouse.dev/ only. If another webhook added to its update, see "When something rewrites workloads" in the chart''s README'
- expression: >-
    {{- include "dormouse.policy.same" (dict "new" "variables.after" "old" "variables.before" "free" "key in ['annotations', 'labels', 'managedFields', 'generation', 'resourceVersion']") | nindent 4 }}
  message: 'Dormouse may change no metadata but annotations, labels and managedFields'
- expression: >-
    {{- include "dormouse.policy.same" (dict "new" "variables.spec" "old" "variables.oldSpec" "free" (printf "key == (variables.isDaemonSet ? 'template' : variables.isCronJob ? 'suspend' : %s)" (include "dormouse.policy.counts" .))) | nindent 4 }}
  message: 'Dormouse may change nothing in the spec but the replica count, a DaemonSet''s nodeSelector, whether a CronJob is suspended, and the switch of a configured kind'
- expression: >-
    !
    {{- include "dormouse.policy.sleeps" (dict "root" . "metadata" "variables.after" "spec" "variables.spec" "podSpec" "variables.podSpec") | nindent 4 }} ||
    {{- include "dormouse.policy.sleeps" (dict "root" . "metadata" "variables.before" "spec" "variables.oldSpec" "podSpec" "variables.oldPodSpec") | nindent 4 }} ||
    ('annotations' in variables.after && 'dormouse.dev/state' in variables.after.annotations &&
      'labels' in variables.after && 'dormouse.dev/asleep' in variables.after.labels)
  message: 'Dormouse may put a workload to sleep only together with its annotation dormouse.dev/state and its label dormouse.dev/asleep, which keep the count. Does another admission webhook drop them?'
- expression: >-
    ![[
      {{- include "dormouse.policy.count" (dict "root" . "spec" "variables.spec") | nindent 6 }},
      {{- include "dormouse.policy.count" (dict "root" . "spec" "variables.oldSpec") | nindent 6 }}
    ]].exists(counts, counts.all(count, type(count) == int) && counts[0] < counts[1]) ||
    ('annotations' in variables.after && 'dormouse.dev/state' in variables.after.annotations &&
      !('annotations' in variables.before && 'dormouse.dev/state' in variables.before.annotations &&
        variables.before.annotations['dormouse.dev/state'] == variables.after.annotations['dormouse.dev/state']))
  message: 'Dormouse may lower a count only together with a new dormouse.dev/state, which keeps it. Does another admission webhook drop it?'
- expression: >-
    !variables.isCronJob || (
      {{- include "dormouse.policy.same" (dict "new" "variables.status" "old" "variables.oldStatus" "free" "key == 'lastScheduleTime'") | nindent 6 }})
  message: 'Dormouse may change nothing in the status of a CronJob but its lastScheduleTime'
{{- range include "dormouse.kinds.entries" . | fromJsonArray }}
{{- $kind := . }}
{{- $steps := list -}}
{{- with include "dormouse.policy.path" . }}{{ $steps = include "dormouse.policy.steps" $kind | fromJsonArray }}{{ end }}
{{- range $depth := untilStep 1 (len $steps) 1 }}
{{- $above := dict "or" "dyn({})" "steps" (slice $steps 0 $depth) }}
- expression: >-
    !({{ include "dormouse.policy.about" $kind }}) || (
      {{- include "dormouse.policy.same" (dict "new" (merge (dict "in" "variables.spec") $above | include "dormouse.policy.at") "old" (merge (dict "in" "variables.oldSpec") $above | include "dormouse.policy.at") "free" (printf "key == %s" (index $steps $depth | include "dormouse.cel.quoted"))) | nindent 6 }})
  message: {{ printf "Dormouse may change nothing in the spec of %s but %s" $kind.resource (include "dormouse.policy.path" $kind) | quote }}
{{- end }}
{{- end }}
- expression: >-
    !variables.isDaemonSet || (
      {{- include "dormouse.policy.same" (dict "new" "dyn(variables.spec.template)" "old" "dyn(variables.oldSpec.template)" "free" "key == 'spec'") | nindent 6 }} &&
      {{- include "dormouse.policy.same" (dict "new" "variables.podSpec" "old" "variables.oldPodSpec" "free" "key == 'nodeSelector'") | nindent 6 }} &&
      {{- include "dormouse.policy.same" (dict "new" "(has(variables.podSpec.nodeSelector) ? variables.podSpec.nodeSelector : dyn({}))" "old" "(has(variables.oldPodSpec.nodeSelector) ? variables.oldPodSpec.nodeSelector : dyn({}))" "free" "key == 'dormouse.dev/snoozed'") | nindent 6 }})
  message: 'Dormouse may change nothing in a DaemonSet''s pods but the nodeSelector''s key dormouse.dev/snoozed'
{{- end -}}

{{- /* CEL: whether all rules hold. A match condition has no variables, so it uses their values for an update, which the first rule requires. */ -}}
{{- define "dormouse.policy.holds" -}}
{{- $rules := list -}}
{{- range include "dormouse.policy.rules" . | fromYamlArray -}}
{{- $rules = append $rules (printf "(%s)" .expression) -}}
{{- end -}}
{{- $holds := join " && " $rules -}}
{{- range $name, $is := dict
  "after" "dyn(object.metadata)"
  "before" "dyn(oldObject.metadata)"
  "spec" "(has(object.spec) ? dyn(object.spec) : dyn({}))"
  "oldSpec" "(has(oldObject.spec) ? dyn(oldObject.spec) : dyn({}))"
  "podSpec" "dyn(object.spec.template.spec)"
  "oldPodSpec" "dyn(oldObject.spec.template.spec)"
  "status" "(has(object.status) ? dyn(object.status) : dyn({}))"
  "oldStatus" "(has(oldObject.status) ? dyn(oldObject.status) : dyn({}))"
  "isCronJob" "(request.resource.resource == 'cronjobs')"
  "isDaemonSet" "(request.resource.resource == 'daemonsets')"
  "counted" (include "dormouse.policy.annotation" .)
-}}
{{- $holds = replace (printf "variables.%s" $name) $is $holds -}}
{{- end -}}
{{ regexReplaceAll "\\s+" $holds " " }}
{{- end -}}
