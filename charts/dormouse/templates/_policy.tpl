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

{{- /* What Dormouse may change of a workload. */ -}}
{{- define "dormouse.policy.rules" -}}
- expression: request.operation == 'UPDATE' && (!has(request.subResource) || request.subResource == '')
  message: 'Dormouse may only update workloads, and not by a subresource'
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
    {{- include "dormouse.policy.same" (dict "new" "variables.spec" "old" "variables.oldSpec" "free" "key == (variables.isDaemonSet ? 'template' : 'replicas')") | nindent 4 }}
  message: 'Dormouse may change nothing in the spec but the replica count, and a DaemonSet''s nodeSelector'
- expression: >-
    !variables.isDaemonSet || (
      {{- include "dormouse.policy.same" (dict "new" "dyn(variables.spec.template)" "old" "dyn(variables.oldSpec.template)" "free" "key == 'spec'") | nindent 6 }} &&
      {{- include "dormouse.policy.same" (dict "new" "variables.podSpec" "old" "variables.oldPodSpec" "free" "key == 'nodeSelector'") | nindent 6 }} &&
      {{- include "dormouse.policy.same" (dict "new" "(has(variables.podSpec.nodeSelector) ? variables.podSpec.nodeSelector : dyn({}))" "old" "(has(variables.oldPodSpec.nodeSelector) ? variables.oldPodSpec.nodeSelector : dyn({}))" "free" "key == 'dormouse.dev/snoozed'") | nindent 6 }})
  message: 'Dormouse may change nothing in a DaemonSet''s pods but the nodeSelector''s key dormouse.dev/snoozed'
{{- end -}}

{{- /* CEL: whether all rules hold. A match condition knows no variables, so what they are in an update, which the first rule requires, stands there instead. */ -}}
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
  "isDaemonSet" "(request.resource.resource == 'daemonsets')"
  "counted" "(request.resource.resource == 'daemonsets' ? 'deprecated.daemonset.template.generation' : '')"
-}}
{{- $holds = replace (printf "variables.%s" $name) $is $holds -}}
{{- end -}}
{{ regexReplaceAll "\\s+" $holds " " }}
{{- end -}}
