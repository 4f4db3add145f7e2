{{- /* What is paused beside sleepers, each with its resource and with one of annotation, label and path. As JSON. */ -}}
{{- define "dormouse.companions.paused" -}}
{{- $rows := list (dict "resource" "horizontalpodautoscalers.autoscaling" "path" ".spec.minReplicas") -}}
{{- if dig "keda" "enabled" true .Values.config -}}
{{- $rows = append $rows (dict "resource" "scaledobjects.keda.sh" "annotation" "autoscaling.keda.sh/paused-replicas") -}}
{{- end -}}
{{- $owners := .Values.config.owners | default list -}}
{{- $presets := .Files.Get "presets.json" | fromJson -}}
{{- range .Values.config.kinds | default list -}}
{{- if .preset }}{{ $owners = concat $owners (dig "owners" list (get $presets .preset)) }}{{ end -}}
{{- end -}}
{{- range $owners -}}
{{- $rows = append $rows (merge (dict "resource" .resource) .pause) -}}
{{- end -}}
{{- range include "dormouse.kinds.entries" . | fromJsonArray -}}
{{- range .along | default list -}}
{{- $rows = append $rows (dict "resource" .resource "path" .path) -}}
{{- end -}}
{{- end -}}
{{ toJson $rows }}
{{- end -}}

{{- /* Resources that are only looked at: those of `notWhile`. As JSON. */ -}}
{{- define "dormouse.companions.seen" -}}
{{- $names := list -}}
{{- range include "dormouse.kinds.entries" . | fromJsonArray -}}
{{- range .notWhile | default list }}{{ $names = append $names .resource }}{{ end -}}
{{- end -}}
{{ toJson $names }}
{{- end -}}

{{- /* The definitions that say whether these are there; HorizontalPodAutoscalers have none. As JSON. */ -}}
{{- define "dormouse.companions.defined" -}}
{{- $names := include "dormouse.companions.seen" . | fromJsonArray -}}
{{- range include "dormouse.companions.paused" . | fromJsonArray -}}
{{- if ne .resource "horizontalpodautoscalers.autoscaling" }}{{ $names = append $names .resource }}{{ end -}}
{{- end -}}
{{ toJson $names }}
{{- end -}}
