"""Attacks by way of the JVM that serves a program: it can run any Java there."""

REFS = "@REFS@"


def told(spark, got):
    return spark.createDataFrame([(str(got)[:100000],)], "got string")


def attempt(action):
    try:
        return action()
    except BaseException as error:
        return f"refused: {type(error).__name__}: {str(error)[:500]}"


def by_java(spark, tables):
    def look():
        java = spark._jvm.java
        return java.nio.file.Files.readString(java.nio.file.Paths.get(f"{REFS}/t/reference.sql", spark._sc._gateway.new_array(java.lang.String, 0)))

    return told(spark, attempt(look))


def by_a_process_of_java(spark, tables):
    def look():
        command = spark._sc._gateway.new_array(spark._jvm.java.lang.String, 3)
        for place, word in enumerate(("/bin/sh", "-c", f"cat {REFS}/t/reference.sql")):
            command[place] = word
        process = spark._jvm.java.lang.Runtime.getRuntime().exec(command)
        scanner = spark._jvm.java.util.Scanner(process.getInputStream()).useDelimiter("\\A")
        return scanner.next() if scanner.hasNext() else "refused: nothing"

    return told(spark, attempt(look))


def by_a_connection_of_java(spark, tables):
    def look():
        connection = spark._jvm.java.net.Socket("127.0.0.1", int("@PORT@"))
        return "connected " + spark._jvm.java.util.Scanner(connection.getInputStream()).next()

    return told(spark, attempt(look))


def by_what_spark_reads(spark, tables):
    return told(spark, attempt(lambda: spark.read.text(f"{REFS}/t/reference.sql").collect()))


def by_sql_on_files(spark, tables):
    return told(spark, attempt(lambda: spark.sql(f"SELECT * FROM parquet.`{REFS}/t/secret.parquet`").collect()))


def by_loading(spark, tables):
    def look():
        spark.sql(f"CREATE TABLE stolen (secret STRING) USING parquet LOCATION '{REFS}/t/secret.parquet'")
        return spark.table("stolen").collect()

    return told(spark, attempt(look))


def by_adding_a_file(spark, tables):
    def look():
        from pyspark import SparkFiles

        spark.sql(f"ADD FILE '{REFS}/t/reference.sql'")
        with open(SparkFiles.get("reference.sql")) as file:
            return file.read()

    return told(spark, attempt(look))


def by_a_function(spark, tables):
    from pyspark.sql import functions as F

    def look(_):
        try:
            with open(f"{REFS}/t/reference.sql") as file:
                return file.read()
        except OSError as error:
            return f"refused: {error}"

    return spark.range(1).select(F.udf(look)("id").alias("got"))


def ending_the_jvm(spark, tables):
    spark._jvm.java.lang.System.exit(0)
