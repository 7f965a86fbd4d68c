"""q80: sales, returns and profit by channel and outlet, 4 August to 3 September 2002, with subtotals.

An independent reading of TPC-DS query 80 in the DataFrame API. Only items above 50 under promotions not shown
on television count. A sale keeps its place where nothing was returned; a sale returned twice counts twice.

TIES: none, as long as no outlet id is missing: a null id would equal a channel's subtotal in the order.
"""

from __future__ import annotations

import datetime as dt
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

FIRST_DAY = dt.date(2002, 8, 4)
LAST_DAY = dt.date(2002, 9, 3)


class Channel(NamedTuple):
    """Where a channel keeps its sales, its returns and its outlets."""

    name: str
    sales: str
    sales_prefix: str
    sale_number: str
    sale_outlet: str
    returns: str
    returns_prefix: str
    return_number: str
    return_amount: str
    outlets: str
    outlet_key: str
    outlet_id: str


CHANNELS = (
    Channel(
        name="store channel",
        sales="store_sales",
        sales_prefix="ss",
        sale_number="ss_ticket_number",
        sale_outlet="ss_store_sk",
        returns="store_returns",
        returns_prefix="sr",
        return_number="sr_ticket_number",
        return_amount="sr_return_amt",
        outlets="store",
        outlet_key="s_store_sk",
        outlet_id="s_store_id",
    ),
    Channel(
        name="catalog channel",
        sales="catalog_sales",
        sales_prefix="cs",
        sale_number="cs_order_number",
        sale_outlet="cs_catalog_page_sk",
        returns="catalog_returns",
        returns_prefix="cr",
        return_number="cr_order_number",
        return_amount="cr_return_amount",
        outlets="catalog_page",
        outlet_key="cp_catalog_page_sk",
        outlet_id="cp_catalog_page_id",
    ),
    Channel(
        name="web channel",
        sales="web_sales",
        sales_prefix="ws",
        sale_number="ws_order_number",
        sale_outlet="ws_web_site_sk",
        returns="web_returns",
        returns_prefix="wr",
        return_number="wr_order_number",
        return_amount="wr_return_amt",
        outlets="web_site",
        outlet_key="web_site_sk",
        outlet_id="web_site_id",
    ),
)


def solve(spark: SparkSession, tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return the first hundred rows of channel, outlet and their subtotals."""
    outlets = [outlet_totals(tables, channel) for channel in CHANNELS]
    return (
        reduce(lambda stack, more: stack.unionByName(more), outlets)
        .rollup("channel", "id")
        .agg(
            F.sum("sales").alias("sales"),
            F.sum("returns").alias("returns"),
            F.sum("profit").alias("profit"),
        )
        .orderBy("channel", "id")
        .limit(100)
    )


def outlet_totals(tables: Mapping[str, DataFrame], channel: Channel) -> DataFrame:
    """Total one channel per outlet id, which several outlet records may share."""
    days = tables["date_dim"].where(F.col("d_date").between(FIRST_DAY, LAST_DAY)).select("d_date_sk")
    items = tables["item"].where(F.col("i_current_price") > 50).select("i_item_sk")
    promotions = tables["promotion"].where(F.col("p_channel_tv") == "N").select("p_promo_sk")
    outlets = tables[channel.outlets].select(
        F.col(channel.outlet_key).alias("outlet_sk"), F.col(channel.outlet_id).alias("outlet_id")
    )
    sold = sold_lines(tables, channel)
    back = returned_lines(tables, channel)
    returned, loss = F.coalesce("returned", F.lit(0)), F.coalesce("loss", F.lit(0))
    return (
        sold.join(days, "d_date_sk")
        .join(items, "i_item_sk")
        .join(promotions, "p_promo_sk")
        .join(outlets, "outlet_sk")
        .join(back, ["i_item_sk", "number"], "left")
        .groupBy("outlet_id")
        .agg(
            F.sum("amount").alias("sales"),
            F.sum(returned).alias("returns"),
            F.sum(F.col("net_profit") - loss).alias("profit"),
        )
        .select(
            F.lit(channel.name).alias("channel"),
            F.concat(F.lit(channel.outlets), F.col("outlet_id")).alias("id"),
            "sales",
            "returns",
            "profit",
        )
    )


def sold_lines(tables: Mapping[str, DataFrame], channel: Channel) -> DataFrame:
    """Give a channel's sales under common names."""
    prefix = channel.sales_prefix
    return tables[channel.sales].select(
        F.col(f"{prefix}_sold_date_sk").alias("d_date_sk"),
        F.col(f"{prefix}_item_sk").alias("i_item_sk"),
        F.col(f"{prefix}_promo_sk").alias("p_promo_sk"),
        F.col(channel.sale_outlet).alias("outlet_sk"),
        F.col(channel.sale_number).alias("number"),
        F.col(f"{prefix}_ext_sales_price").alias("amount"),
        F.col(f"{prefix}_net_profit").alias("net_profit"),
    )


def returned_lines(tables: Mapping[str, DataFrame], channel: Channel) -> DataFrame:
    """Give a channel's returns under common names."""
    prefix = channel.returns_prefix
    return tables[channel.returns].select(
        F.col(f"{prefix}_item_sk").alias("i_item_sk"),
        F.col(channel.return_number).alias("number"),
        F.col(channel.return_amount).alias("returned"),
        F.col(f"{prefix}_net_loss").alias("loss"),
    )
