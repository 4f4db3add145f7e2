{{- /* CEL: whether two maps have the same entries, except for keys that may differ (`free`). */ -}}
{{- define "dormouse.policy.same" -}}
{{ .new }}.all(key, {{ .free }} ||
  (key in {{ .old }} && {{ .new }}[key] == {{ .old }}[key])) &&
{{ .old }}.all(key, {{ .free }} || key in {{ .new }})
{{- end -}}

{{- /* A match condition: the request is by Dormouse's account. */ -}}
{{- define "dormouse.policy.account" -}}
- name: by-dormouse
  expression: {{ printf "request.userInfo.username == %s" (include "dormouse.username" . | include "dormouse.cel.quoted") | quote }}
{{- end -}}
