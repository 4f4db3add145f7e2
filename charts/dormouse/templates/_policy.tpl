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
    !(variables.isDaemonSet
      ? has(variables.podSpec.nodeSelector) && 'dormouse.dev/snoozed' in variables.podSpec.nodeSelector &&
        !(has(variables.oldPodSpec.nodeSelector) && 'dormouse.dev/snoozed' in variables.oldPodSpec.nodeSelector)
      : variables.isCronJob
      ? has(variables.spec.suspend) && variables.spec.suspend && !(has(variables.oldSpec.suspend) && variables.oldSpec.suspend)
      : has(variables.spec.replicas) && variables.spec.replicas == 0 &&
        !(has(variables.oldSpec.replicas) && variables.oldSpec.replicas == 0)) ||
    ('annotations' in variables.after && 'dormouse.dev/state' in variables.after.annotations &&
      'labels' in variables.after && 'dormouse.dev/asleep' in variables.after.labels)
  message: 'Dormouse may put a workload to sleep only together with its annotation dormouse.dev/state and its label dormouse.dev/asleep, which keep the count. Does another admission webhook drop them?'
- expression: >-
    !(has(variables.spec.replicas) && has(variables.oldSpec.replicas) && variables.spec.replicas < variables.oldSpec.replicas) ||
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
{{- $path := include "dormouse.policy.path" . }}
{{- $names := splitList "." (trimPrefix "." $path) }}
{{- range $depth := until (max 0 (sub (len $names) 2) | int) }}
{{- $above := slice $names 1 (int (add $depth 2)) | join "." }}
- expression: >-
    !({{ include "dormouse.policy.about" $kind }}) || (
      {{- include "dormouse.policy.same" (dict "new" (printf "variables.spec.%s" $above) "old" (printf "variables.oldSpec.%s" $above) "free" (printf "key == '%s'" (index $names (int (add $depth 2))))) | nindent 6 }})
  message: {{ printf "Dormouse may change nothing in the spec of %s but %s" $kind.resource $path | quote }}
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
  "spec" "dyn(object.spec)"
  "oldSpec" "dyn(oldObject.spec)"
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
