app_name = "batch"
urlpatterns = []
